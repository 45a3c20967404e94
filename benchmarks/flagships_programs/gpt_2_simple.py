"""Fine-tunes the small model of `flagships_data.gpt_2_model`, as the README of gpt-2-simple does."""

import gpt_2_simple as gpt2

session = gpt2.start_tf_sess()
gpt2.finetune(session, "text.txt", model_name="124M", steps=8, sample_every=1000, sample_length=8, save_every=1000)
