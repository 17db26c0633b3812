using Spate.Cli.Shell;

namespace Spate.Cli.Bench.Sweep;

/// <summary>What a sweep measures on one placement after the other.</summary>
internal abstract class SweepSubject : IDisposable
{
    /// <summary>The kind of the bench that the row is of.</summary>
    public abstract string Bench { get; }

    public abstract string Row { get; }

    public abstract int SizeBytes { get; }

    /// <summary>The figure that is judged, as in the JSON of that bench.</summary>
    public abstract string Figure { get; }

    public abstract bool IsHigherBetter { get; }

    /// <summary>What a thread on each CPU of a placement does, in the order of the CPUs.</summary>
    public abstract IReadOnlyList<string> Roles { get; }

    /// <summary>0 before the first measurement.</summary>
    public int BufferGrantedBytes { get; protected set; }

    /// <summary>Takes about <paramref name="duration"/>, besides opening and closing.</summary>
    /// <exception cref="BenchException">The placement cannot be measured.</exception>
    public abstract double Measure(IReadOnlyList<int> cpus, TimeSpan duration);

    public void Dispose()
    {
        Close();
        GC.SuppressFinalize(this);
    }

    protected virtual void Close()
    {
    }
}
