namespace Spate.Measurement.Cores;

/// <summary>On which CPUs a run has work: its threads, and the interrupts of its interface.</summary>
internal sealed class CorePlaces
{
    /// <summary>The role of a CPU that serves the interrupts of the run's interface.</summary>
    public const string InterruptRole = "interrupts";

    private readonly SortedDictionary<int, SortedSet<string>> _roles = [];

    /// <summary>A run of which no place is known.</summary>
    public static CorePlaces None { get; } = new();

    /// <summary>Notes what a CPU does.</summary>
    /// <param name="cpu">The CPU; null where it is not known.</param>
    /// <param name="role">What it does.</param>
    public void Add(int? cpu, string role)
    {
        if (cpu is not { } number) return;

        if (!_roles.TryGetValue(number, out SortedSet<string>? roles))
        {
            roles = new SortedSet<string>(StringComparer.Ordinal);
            _roles[number] = roles;
        }

        roles.Add(role);
    }

    /// <summary>What a CPU does for the run; empty for nothing.</summary>
    public string[] RolesOf(int cpu) => _roles.TryGetValue(cpu, out SortedSet<string>? roles) ? [.. roles] : [];
}
