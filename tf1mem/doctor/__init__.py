"""`tf1mem doctor`: what is installed and in force, and what a script does with its GPU settings.

    query    checkup/    queries the machine and the environment, mostly in a child process
    watch    watch/      runs the script unchanged; within/ is loaded in its process and writes the record
    judge    judges/     pure functions from a checkup or a record to findings; patches.py: the codemod's fixes for them
    report   report/     the text page and the JSON

`examination.py` runs these steps. Nothing here starts TensorFlow's GPU runtime, or CUDA, in the doctor's own process.
"""
