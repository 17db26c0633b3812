using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Sweep;

/// <summary>What a sweep measures on one placement after the other.</summary>
internal abstract class SweepSubject : IDisposable
{
    /// <summary>The kind of the bench that the row is of.</summary>
    public abstract string Bench { get; }

    /// <summary>The row of that bench.</summary>
    public abstract string Row { get; }

    /// <summary>Payload bytes of a datagram.</summary>
    public abstract int SizeBytes { get; }

    /// <summary>The figure that is judged, as in the JSON of that bench.</summary>
    public abstract string Figure { get; }

    /// <summary>Whether a larger value of the figure is better.</summary>
    public abstract bool IsHigherBetter { get; }

    /// <summary>What a thread on each CPU of a placement does, in the order of the CPUs.</summary>
    public abstract IReadOnlyList<string> Roles { get; }

    /// <summary>The receive buffer that the system granted, in bytes; 0 before the first measurement.</summary>
    public int BufferGrantedBytes { get; protected set; }

    /// <summary>Measures the figure.</summary>
    /// <param name="cpus">The CPUs of the placement.</param>
    /// <param name="duration">About how long to measure, besides opening and closing.</param>
    /// <exception cref="BenchException">The placement cannot be measured.</exception>
    public abstract double Measure(IReadOnlyList<int> cpus, TimeSpan duration);

    /// <summary>Closes what is open.</summary>
    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    /// <summary>Closes what is open.</summary>
    protected virtual void Close()
    {
    }
}
