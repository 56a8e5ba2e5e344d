"""Runs a function under torch.profiler and tells what it saw: the operations of the GPU and, with stacks, for each launch the
innermost Python line.

PyTorch's tracer knows the line of a frame only when the frame calls a C function (c_call); for a frame that got to C by an operator
(a + b) it knows the function. So a launch is (file, line, function) or (file, 0, function).
"""
import time


def under_profiler(torch, with_stack, key_averages, lines, work):
    activities = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities, with_stack=with_stack) as profiler:
        found = work()
    results = profiler.profiler.kineto_results
    counts, names = {}, {}
    for event in results.events():
        kind = kind_of(torch, event)
        if kind:
            counts[kind] = counts.get(kind, 0) + 1
            if kind == "kernel":
                names[event.name()] = names.get(event.name(), 0) + 1
    found.update(operations=counts, kernels=names)
    if lines:
        found["lines"] = launches(torch, results.experimental_event_tree())
    if key_averages:
        begin = time.perf_counter()
        table = profiler.key_averages(group_by_stack_n=5 if with_stack else 0)
        found.update(key_averages_s=time.perf_counter() - begin, rows=len(table), events=len(results.events()))
    return found


def kind_of(torch, event):
    """kernel, copy or set; None for what is not on the GPU."""
    if event.device_type() != torch.autograd.DeviceType.CUDA or event.is_user_annotation():
        return None
    name = event.name()
    return "copy" if name.startswith("Memcpy") else "set" if name.startswith("Memset") else "kernel"


def launches(torch, roots):
    """[[kernel, file, line, function], ...], one for each call that launches a kernel; file "" = no Python frame above it, kernel ""
    = its record does not hang below the call."""
    kinds = torch._C._profiler._EventType
    result, rest = [], [(event, None) for event in roots]
    while rest:
        event, above = rest.pop()
        if event.tag in (kinds.PyCall, kinds.PyCCall):
            above = event
        elif event.tag == kinds.Kineto and is_launch(event.name):
            result.append([event.children[0].name if event.children else ""] + place(above, kinds))
        rest.extend((child, above) for child in event.children)
    return result


def is_launch(name):
    return "LaunchKernel" in name or "LaunchCooperativeKernel" in name


def place(above, kinds):
    if above is None:
        return ["", 0, ""]
    if above.tag == kinds.PyCCall:
        frame = above.extra_fields.caller
        return [frame.file_name, frame.line_number, frame.function_name]
    frame = above.extra_fields.callsite
    return [frame.file_name, 0, frame.function_name]
