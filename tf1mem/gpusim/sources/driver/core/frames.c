/* Reads Python frames in place, by the offsets that each minor version of CPython uses in all of its releases.
 *
 * The thread's own frames don't change during this call, and keep their code objects alive, whether the thread holds
 * the GIL or not. Python's own API would count references, which needs the GIL, and waiting for the GIL here could
 * deadlock. The Python functions called here only read.
 *
 * The offsets are from Include/cpython/pystate.h (PyThreadState), Include/cpython/code.h (PyCodeObject) and
 * Include/cpython/unicodeobject.h, and for frames from Include/cpython/frameobject.h, frameobject.h before 3.8, and
 * Include/internal/pycore_frame.h from 3.11 on. 64-bit releases have the same layout on every machine.
 */
#include "api.h"

#include "frames.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { NONE = -1 };

/* The offsets of one minor version, in bytes. */
struct layout {
    int minor;
    int thread_frame;      /* in PyThreadState: the pointer to the innermost frame, or to a struct that has it */
    int thread_indirect;   /* in that struct: the pointer to the frame. NONE if there is no such struct */
    int frame_previous;    /* in a frame: the pointer to its caller's frame */
    int frame_code;        /* in a frame: the pointer to its code object */
    int frame_instruction; /* in a frame: the pointer to the instruction. NONE if PyFrame_GetLineNumber accepts it */
    int code_start;        /* in a code object: the first instruction */
    int code_file;         /* in a code object: the pointer to co_filename */
    int code_name;         /* in a code object: the pointer to co_name */
    int ascii_text;        /* in a str of ASCII characters only: the first character */
    int wide_text;         /* in any other str: the first character */
};

/* clang-format off */
static const struct layout layouts[] = {
    {7, 24, NONE, 24, 32, NONE, NONE, 96, 104, 48, 72},
    {8, 24, NONE, 24, 32, NONE, NONE, 104, 112, 48, 72},
    {9, 24, NONE, 24, 32, NONE, NONE, 104, 112, 48, 72},
    {10, 24, NONE, 24, 32, NONE, NONE, 104, 112, 48, 72},
    {11, 56, 8, 48, 32, 56, 184, 112, 120, 48, 72},
    {12, 56, 0, 8, 0, 56, 192, 112, 120, 40, 56},
    {13, 72, NONE, 8, 0, 56, 200, 112, 120, 40, 56},
};
/* clang-format on */

static struct {
    const struct layout *layout; /* NULL if there is no Python, or an unknown version */
    int (*is_initialized)(void);
    const char *(*thread_state)(void);
    int (*line_of_frame)(const void *frame);
    int (*line_of_code)(const void *code, int offset);
    const void *code_type;
    const void *str_type;
} python;

static void find_python(void) {
    const char *(*version)(void);
    int major, minor;
    *(void **)&version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
    if (!version || sscanf(version(), "%d.%d", &major, &minor) != 2 || major != 3) return;
    /* Debug builds, and those without a GIL, have other layouts. */
    if (dlsym(RTLD_DEFAULT, "_Py_RefTotal") || strstr(version(), "free-threading") || strstr(version(), "PyPy")) return;
    *(void **)&python.is_initialized = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    *(void **)&python.thread_state = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    *(void **)&python.line_of_frame = dlsym(RTLD_DEFAULT, "PyFrame_GetLineNumber");
    *(void **)&python.line_of_code = dlsym(RTLD_DEFAULT, "PyCode_Addr2Line");
    python.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
    python.str_type = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
    if (!python.is_initialized || !python.thread_state || !python.line_of_frame || !python.line_of_code ||
        !python.code_type || !python.str_type)
        return;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        if (layouts[i].minor == minor) python.layout = &layouts[i];
    }
}

static const char *pointer_at(const char *object, int offset) {
    const char *pointer;
    memcpy(&pointer, object + offset, sizeof pointer);
    return pointer;
}

static bool is_of_type(const char *object, const void *type) {
    return object && pointer_at(object, 8) == type; /* ob_type */
}

/* Writes a character in UTF-8, or nothing if there isn't room for all of its bytes. */
static size_t encode(uint32_t character, char *text, size_t room) {
    size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    if (length > room) return 0;
    for (size_t i = length; i-- > 1; character >>= 6) text[i] = (char)(0x80 | (character & 0x3f));
    text[0] = (char)(first[length] | character);
    return length;
}

/* Writes a str in UTF-8, cut to `size` bytes with the closing zero; "" for an object that is no str. Surrogates stand
 * for bytes of a path that isn't UTF-8. They are written as invalid UTF-8, which readers of the trace replace. */
static void read_str(const char *str, char *text, size_t size) {
    text[0] = 0;
    if (!is_of_type(str, python.str_type)) return;
    uint64_t count;
    uint32_t state;
    memcpy(&count, str + 16, sizeof count);
    memcpy(&state, str + 32, sizeof state);
    unsigned kind = state >> 2 & 7; /* bytes per character */
    bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
    if (!compact || (kind != 1 && kind != 2 && kind != 4)) return;
    const char *next = str + (ascii ? python.layout->ascii_text : python.layout->wide_text);
    size_t length = 0;
    for (uint64_t i = 0; i < count; i++, next += kind) {
        uint16_t two = 0;
        uint32_t character = (unsigned char)*next;
        if (kind == 2) memcpy(&two, next, sizeof two);
        if (kind == 4) memcpy(&character, next, sizeof character);
        size_t more = encode(kind == 2 ? two : character, text + length, size - 1 - length);
        if (!more) break;
        length += more;
    }
    text[length] = 0;
}

static int line_of(const char *frame, const char *code) {
    const struct layout *layout = python.layout;
    if (layout->frame_instruction == NONE) return python.line_of_frame(frame);
    return python.line_of_code(code, (int)(pointer_at(frame, layout->frame_instruction) - (code + layout->code_start)));
}

void frames_visit(frame_visitor *visit, void *data) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_python);
    const struct layout *layout = python.layout;
    if (!layout || !python.is_initialized()) return;
    const char *thread = python.thread_state();
    if (!thread) return;
    const char *next = pointer_at(thread, layout->thread_frame);
    if (next && layout->thread_indirect != NONE) next = pointer_at(next, layout->thread_indirect);
    for (int depth = 0; next && depth < 1000; depth++, next = pointer_at(next, layout->frame_previous)) {
        const char *code = pointer_at(next, layout->frame_code);
        if (!is_of_type(code, python.code_type)) continue; /* a frame where C called Python, from 3.12 on */
        struct frame frame;
        read_str(pointer_at(code, layout->code_file), frame.file, sizeof frame.file);
        read_str(pointer_at(code, layout->code_name), frame.function, sizeof frame.function);
        frame.line = line_of(next, code);
        if (!visit(&frame, data)) return;
    }
}
