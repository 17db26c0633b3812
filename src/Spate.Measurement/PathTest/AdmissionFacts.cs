namespace Spate.Measurement.PathTest;

/// <summary>
/// What a server asks its host before it grants a test. Each answer is kept for a second, since copies of a refused
/// request can be sent all day, and each must be cheap. One thread uses an object, that of the listening socket.
/// </summary>
internal sealed class AdmissionFacts(
    TimeProvider time, Func<IReadOnlyList<int>> readUsableCpus, Func<UdpAddress, string?> findPaceFault)
{
    /// <summary>The most addresses to which the way is looked up within a second.</summary>
    public const int MaxWays = 64;

    private static readonly TimeSpan MaxAge = TimeSpan.FromSeconds(1);

    private readonly Dictionary<UdpAddress, string?> _paceFaults = [];
    private IReadOnlyList<int>? _usableCpus;
    private long? _readTicks;

    public IReadOnlyList<int> UsableCpus()
    {
        ForgetWhenOld();
        return _usableCpus ??= readUsableCpus();
    }

    /// <summary>Why datagrams to an address cannot be given a time to leave; null where they can.</summary>
    public string? PaceFault(in UdpEndPoint peer)
    {
        ForgetWhenOld();
        UdpAddress address = peer.Address;
        if (_paceFaults.TryGetValue(address, out string? known)) return known;

        if (_paceFaults.Count == MaxWays)
        {
            return "too many clients ask for --pace txtime at once; try again later, or pace by sleep or spin instead";
        }

        return _paceFaults[address] = findPaceFault(address);
    }

    private void ForgetWhenOld()
    {
        if (_readTicks is { } last && time.GetElapsedTime(last) <= MaxAge) return;

        (_usableCpus, _readTicks) = (null, time.GetTimestamp());
        _paceFaults.Clear();
    }
}
