"""A program that uses torch.profiler itself. Facts: how many GPU events it got. Its output must not depend on that."""
import facts

torch = facts.require_gpu()


def main():
    x = torch.randn(256, 256, device="cuda")
    kinds = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=kinds) as profiler:
        for _ in range(50):
            x = torch.tanh(x @ x)
        torch.cuda.synchronize()
    on_gpu = sum(1 for e in profiler.events() if e.device_type == torch.autograd.DeviceType.CUDA)
    print("done")
    facts.say(gpu_events=on_gpu)


main()
