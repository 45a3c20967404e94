"""`tf1mem doctor`: what is installed and in force, and what a script does with its GPU settings.

    ask      checkup/    the machine and the environment, asked, most of it in a child
    watch    watch/      the script, run with nothing changed; within/ is in its process and writes the record
    judge    judges/     pure: a checkup or a record in, findings out; mends.py: what the codemod does about them
    tell     report/     a page, JSON

`examination.py` takes the steps. Nothing here starts TensorFlow's GPU runtime, or CUDA, in the process that asks.
"""
