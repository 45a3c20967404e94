"""`tf1mem doctor`: what is installed and in force, and what a script does with its GPU settings.

    facts     installed.py, libraries.py, driver.py, devices.py, variables.py     asked, most of them in a child
    run       running.py -> within/ (in the script's process) -> observed.py      watched, with nothing changed
    judged    judging/                                                            pure: facts in, findings out
    told      telling.py, as_json.py, mending.py                                  a page, JSON, and a diff

Nothing here starts TensorFlow's GPU runtime, or CUDA, in the process that asks.
"""
