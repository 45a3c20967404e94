/* Picks the program's own line from the Python frames of the thread. */
#include "api.h"

#include "where.h"

#include "frames.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Packages whose lines are not the program's own. */
static const char *const packages[] = {
    "tensorflow",
    "tensorflow_core",
    "tensorflow_estimator",
    "keras",
    "tf_keras",
    "keras_preprocessing",
    "tf1mem",
    "absl",
    "wrapt",
    "numpy",
};
enum { TENSORFLOW_PACKAGES = 6 }; /* the first 6: functions of these packages can be where->call */

/* Files of TensorFlow and Keras that wrap the functions that a program calls. */
static const char *const wrappers[] = {
    "traceback_utils.py", "dispatch.py", "deprecation.py", "tf_decorator.py", "tf_contextlib.py", "tf_export.py",
};

/* Returns the index of the package that a file belongs to, or -1. A folder is a package only if it contains an
 * __init__.py, since a program may lie in a folder named keras. */
static int package_of(const char *file) {
    for (int i = 0; i < (int)(sizeof packages / sizeof packages[0]); i++) {
        char part[64], init[sizeof((struct frame *)0)->file + sizeof "__init__.py"];
        snprintf(part, sizeof part, "/%s/", packages[i]);
        for (const char *match = strstr(file, part); match; match = strstr(match + 1, part)) {
            snprintf(init, sizeof init, "%.*s__init__.py", (int)(match + strlen(part) - file), file);
            if (access(init, F_OK) == 0) return i;
        }
    }
    return -1;
}

/* Returns true for a file of Python's standard library, which stands between the program and TensorFlow, too. */
static bool is_standard_library(const char *file) {
    const char *match = strstr(file, "/lib/python3.");
    if (!match) match = strstr(file, "/lib64/python3.");
    if (!match) return false;
    const char *below = strchr(strstr(match, "python3."), '/');
    return below && strncmp(below, "/site-packages/", 15) != 0 && strncmp(below, "/dist-packages/", 15) != 0;
}

/* "<stdin>", "<string>" (python -c) and notebooks' names are programs; "<frozen runpy>" and the like aren't. */
static bool is_no_file(const char *file) {
    return file[0] == '<' && strcmp(file, "<stdin>") != 0 && strcmp(file, "<string>") != 0 &&
           strncmp(file, "<ipython", 8) != 0;
}

static const char *base_name(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* Returns true for a file of `wrappers`, and for a lambda or similar, whose name isn't what the program called. */
static bool is_wrapper(const struct frame *frame) {
    const char *base = base_name(frame->file);
    for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++) {
        if (strcmp(base, wrappers[i]) == 0) return true;
    }
    return frame->function[0] == '<';
}

/* Writes the name of a frame's function. "__init__" alone says little, so the file's name is put before a special
 * method: "session.__init__". */
static void name_call(const struct frame *frame, char *call, size_t size) {
    const char *base = base_name(frame->file), *point = strrchr(base, '.');
    int length = point ? (int)(point - base) : (int)strlen(base);
    bool special = strncmp(frame->function, "__", 2) == 0;
    snprintf(call, size, "%.*s%s%s", special ? length : 0, base, special ? "." : "", frame->function);
}

/* Goes on through frames of TensorFlow and similar packages, and ends at the first line of the program. */
static bool visit(const struct frame *frame, void *data) {
    struct where *where = data;
    if (!frame->file[0] || is_no_file(frame->file) || is_standard_library(frame->file) ||
        strncmp(base_name(frame->file), "__autograph_generated_file", 26) == 0)
        return true;
    int package = package_of(frame->file);
    if (package < 0) {
        snprintf(where->line, sizeof where->line, "%s:%d", frame->file, frame->line);
        return false;
    }
    /* The last function before the program's own line is the one that it called. */
    if (package < TENSORFLOW_PACKAGES && !is_wrapper(frame)) name_call(frame, where->call, sizeof where->call);
    return true;
}

void where_now(struct where *where) {
    where->line[0] = where->call[0] = 0;
    frames_visit(visit, where);
    if (!where->line[0]) where->call[0] = 0;
}
