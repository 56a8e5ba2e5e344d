"""What a profiler sees of torch.nn.Module, where no PyTorch is: its files, its functions and where it keeps its modules."""
