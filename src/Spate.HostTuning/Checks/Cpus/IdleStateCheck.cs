namespace Spate.HostTuning.Checks.Cpus;

/// <summary>How deep the CPUs sleep when there is nothing to do.</summary>
internal sealed class IdleStateCheck : HostCheck
{
    // The kernel has at most 10 (CPUIDLE_STATE_MAX of linux/cpuidle.h).
    private const int MaxStates = 10;

    // C1 of today's processors takes 1 to 2 microseconds to end, C1E some 10, C6 100 and more.
    private const long MaxMicroseconds = 10;

    public override string Id => "idle-states";

    public override string Subject => "sleep of the CPUs";

    public override IEnumerable<CheckFinding> Examine(HostReadings host)
    {
        string folder = $"sys/devices/system/cpu/cpu{host.Cpus.All[0].Number}/cpuidle/";
        List<long> latencies = [];
        List<int> deepStates = [];
        for (int state = 0; state < MaxStates; state++)
        {
            if (host.Files.ReadNumber($"{folder}state{state}/latency") is { } latency and >= 0
                && host.Files.ReadNumber($"{folder}state{state}/disable") is null or 0)
            {
                latencies.Add(latency);
                if (latency > MaxMicroseconds) deepStates.Add(state);
            }
        }

        if (latencies.Count == 0)
        {
            yield return Unknown("The system shows no idle states: a hypervisor or the firmware manages them.");
            yield break;
        }

        string found = $"up to {CheckText.Plural(latencies.Max(), "microsecond")} to wake up";
        yield return host.Needs.Profile != HostProfile.Latency || latencies.Max() <= MaxMicroseconds
            ? Ok(found, "This matters for short round trips only (profile latency).")
            : Advice(
                found,
                $"at most {MaxMicroseconds} microseconds",
                "A packet that finds its CPU asleep waits until it has woken up; a program may also hold "
                    + "/dev/cpu_dma_latency open with 0 (pm_qos_interface.rst).") with
            {
                Command = CommandFor(deepStates, isOff: true),
                Undo = CommandFor(deepStates, isOff: false),
            };
    }

    // States that are off already stay so when this is taken back, which cpupower idle-set -E would not keep to.
    private static string CommandFor(IEnumerable<int> states, bool isOff) =>
        $"for f in /sys/devices/system/cpu/cpu*/cpuidle/state[{string.Concat(states)}]/disable; "
        + $"do echo {(isOff ? 1 : 0)} > $f; done";
}
