"""The tensors that the experiments are made on."""
