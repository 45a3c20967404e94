"""The cells of contrib.rnn by family; rnn_cell, where contrib had them all, leads here."""
