namespace Spate.Measurement.HostUse;

/// <summary>On which CPUs a run has work: its threads and its interfaces' interrupts. One thread at a time.</summary>
internal sealed class CpuAttribution
{
    public const string InterruptRole = "interrupts";

    private readonly Dictionary<int, Place> _places = [];
    private readonly Dictionary<(string Role, int Index), ThreadTime> _threads = [];
    private bool _knowsUse;
    private long _movableNanoseconds;

    /// <summary>The thread that used the most CPU time, without those that spin on purpose; null for none.</summary>
    public (string Name, long Nanoseconds)? BusiestThread
    {
        get
        {
            ((string Role, int Index) thread, ThreadTime time) = _threads
                .Where(static one => !one.Value.Spins)
                .OrderByDescending(static one => one.Value.Nanoseconds)
                .FirstOrDefault();
            return thread.Role is null ? null : ($"{thread.Role} {thread.Index}", time.Nanoseconds);
        }
    }

    public bool HasUnknownThreads { get; set; }

    /// <summary>Whether any CPU may work for the run.</summary>
    public bool MayBeAnywhere => HasUnknownThreads || _places.Count == 0;

    /// <param name="pinnedCpu">Null if it is free to move: where it ran last.</param>
    /// <param name="spins">Whether it uses a whole CPU on purpose, even without work.</param>
    public void AddThread(ThreadIntervalReport thread, int? pinnedCpu, bool spins = false)
    {
        if ((pinnedCpu ?? thread.Cpu) is not { } cpu) return;

        Place place = PlaceOf(cpu);
        place.Roles.Add(thread.Role);
        place.HasThread = true;
        place.Spins |= spins;
        if (thread.CpuNanoseconds is not { } nanoseconds) return;

        _knowsUse = true;
        place.Nanoseconds += nanoseconds;
        if (thread.UserNanoseconds is { } user) place.UserNanoseconds += user;
        else place.LacksUserTime = true;
        if (pinnedCpu is null)
        {
            place.MovableNanoseconds += nanoseconds;
            _movableNanoseconds += nanoseconds;
        }

        AddTime(
            (thread.Role, thread.Index), new ThreadTime(nanoseconds, spins, pinnedCpu, thread.RunQueueNanoseconds));
    }

    /// <summary>CPU time that may have been used on any CPU; a negative one takes away a noted thread's.</summary>
    public void AddMovable(long nanoseconds)
    {
        _knowsUse = true;
        _movableNanoseconds += nanoseconds;
    }

    public void AddRole(int? cpu, string role, bool spins = false)
    {
        if (cpu is not { } number) return;

        PlaceOf(number).Roles.Add(role);
        PlaceOf(number).Spins |= spins;
    }

    public void Add(CpuAttribution later)
    {
        _knowsUse |= later._knowsUse;
        HasUnknownThreads |= later.HasUnknownThreads;
        _movableNanoseconds += later._movableNanoseconds;
        foreach ((int cpu, Place other) in later._places)
        {
            Place place = PlaceOf(cpu);
            place.Roles.UnionWith(other.Roles);
            place.Nanoseconds += other.Nanoseconds;
            place.MovableNanoseconds += other.MovableNanoseconds;
            place.UserNanoseconds += other.UserNanoseconds;
            place.LacksUserTime |= other.LacksUserTime;
            place.HasThread |= other.HasThread;
            place.Spins |= other.Spins;
        }

        foreach (((string Role, int Index) thread, ThreadTime time) in later._threads) AddTime(thread, time);
    }

    public string[] RolesOf(int cpu) => _places.TryGetValue(cpu, out Place? place) ? [.. place.Roles] : [];

    public bool HasThreadOn(int cpu) => _places.TryGetValue(cpu, out Place? place) && place.HasThread;

    public bool SpinsOn(int cpu) => _places.TryGetValue(cpu, out Place? place) && place.Spins;

    /// <summary>The CPU time of the run's threads there; null where the system does not tell any.</summary>
    public long? NanosecondsOn(int cpu) =>
        !_knowsUse ? null : _places.TryGetValue(cpu, out Place? place) ? place.Nanoseconds : 0;

    /// <summary>The part of it in the program itself; null where the system does not tell all of it.</summary>
    public long? UserNanosecondsOn(int cpu) =>
        !_places.TryGetValue(cpu, out Place? place) ? 0 : place.LacksUserTime ? null : place.UserNanoseconds;

    /// <summary>
    /// How long a thread that is bound to the CPU was ready to run while the CPU did other work than this run's; of
    /// several threads, the longest such time. Null where no thread is bound to it, or where the system does not tell.
    /// </summary>
    public long? WaitedNanosecondsOn(int cpu)
    {
        ThreadTime[] bound = [.. _threads.Values.Where(one => one.PinnedCpu == cpu)];
        long? longest = bound.Max(static one => one.Nanoseconds + one.WaitedNanoseconds);

        // What a thread waited for includes the run's other threads there.
        return longest is { } some ? Math.Max(0, some - bound.Sum(static one => one.Nanoseconds)) : null;
    }

    public long MovableNanosecondsBeside(int cpu) =>
        Math.Max(
            0, _movableNanoseconds - (_places.TryGetValue(cpu, out Place? place) ? place.MovableNanoseconds : 0));

    private Place PlaceOf(int cpu)
    {
        if (!_places.TryGetValue(cpu, out Place? place)) _places[cpu] = place = new Place();
        return place;
    }

    private void AddTime((string Role, int Index) thread, ThreadTime time) =>
        _threads[thread] = !_threads.TryGetValue(thread, out ThreadTime before) ? time : time with
        {
            Nanoseconds = before.Nanoseconds + time.Nanoseconds,
            WaitedNanoseconds = before.WaitedNanoseconds + time.WaitedNanoseconds,
        };

    private readonly record struct ThreadTime(
        long Nanoseconds, bool Spins, int? PinnedCpu, long? WaitedNanoseconds);

    private sealed class Place
    {
        public SortedSet<string> Roles { get; } = new(StringComparer.Ordinal);

        public long Nanoseconds { get; set; }

        public long MovableNanoseconds { get; set; }

        public long UserNanoseconds { get; set; }

        public bool LacksUserTime { get; set; }

        public bool HasThread { get; set; }

        public bool Spins { get; set; }
    }
}
