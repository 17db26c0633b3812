using Spate.HostTuning.Reading.Interrupts;

namespace Spate.HostTuning.Placement;

/// <summary>How much of the interface's work a CPU does for the kernel. Higher is worse.</summary>
internal enum InterruptLevel
{
    None,

    /// <summary>Few for this traffic.</summary>
    OtherDirection,

    /// <summary>Arrivals that RPS passes on to it.</summary>
    Steered,

    Serves,
}

/// <summary>Which CPUs serve the interrupts of a request's interfaces.</summary>
internal sealed class InterruptLoad
{
    private readonly Dictionary<int, (InterruptLevel Level, string What)> _levels = [];

    public InterruptLoad(CpuPlanOptions request)
    {
        InterruptDirection other = request.IsReceiver ? InterruptDirection.Send : InterruptDirection.Receive;
        foreach (InterfaceInterrupts network in request.IsLoopback ? [] : request.Interfaces)
        {
            foreach (int cpu in network.SteeredCpuNumbers)
            {
                // At a sender RPS passes on only the few datagrams that come back.
                Raise(
                    cpu,
                    request.IsReceiver ? InterruptLevel.Steered : InterruptLevel.OtherDirection,
                    $"arrivals of {network.Name} (RPS)");
            }

            foreach (InterfaceInterrupt interrupt in network.Interrupts)
            {
                InterruptLevel level =
                    interrupt.Direction == other ? InterruptLevel.OtherDirection : InterruptLevel.Serves;
                foreach (int cpu in interrupt.CpuNumbers)
                {
                    Raise(cpu, level, $"interrupts of {network.Name}");
                }
            }
        }
    }

    public IEnumerable<int> CpuNumbers => _levels.Keys.Order();

    public InterruptLevel LevelOf(int cpu) =>
        _levels.TryGetValue(cpu, out (InterruptLevel Level, string What) found) ? found.Level : InterruptLevel.None;

    public List<int> Heaviest()
    {
        InterruptLevel maxLevel = _levels.Values.Select(static value => value.Level).DefaultIfEmpty().Max();
        return [.. CpuNumbers.Where(cpu => LevelOf(cpu) == maxLevel)];
    }

    public string Describe(int cpu) => _levels[cpu].What;

    private void Raise(int cpu, InterruptLevel level, string what)
    {
        if (level > LevelOf(cpu)) _levels[cpu] = (level, what);
    }
}
