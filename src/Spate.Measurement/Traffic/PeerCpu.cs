using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Spate.HostTuning.Placement;
using Spate.HostTuning.Reading.Cpus;
using Spate.HostTuning.Reading.Interfaces;

namespace Spate.Measurement.Traffic;

/// <summary>
/// The CPU of an end with one thread whose peer is on this host, as a bench would place it. Without a word to each
/// other both ends come to CPUs of their own, since both read the same <see cref="LoopbackPlan"/>. Free to move, the
/// two may meet on one CPU for a while, and datagrams are lost then.
/// </summary>
/// <remarks>
/// All pairs of a host have the same plan. Bound to its two CPUs, several pairs would share them while other CPUs are
/// idle, so a CPU is taken once (<see cref="CpuClaim"/>), and the threads of later ends stay free to move.
/// </remarks>
internal sealed class PeerCpu : IDisposable
{
    // No CPU has this number: a claim of it disturbs nobody.
    private const int RehearsedCpu = -1;

    private static volatile Plan? _plan;

    // Of the thread's next end alone: a later one finds the addresses that the host has by then, and a thread may be in
    // a network namespace of its own (setns.2), where the addresses are others.
    [ThreadStatic]
    private static IReadOnlySet<IPAddress>? _preparedAddresses;

    private readonly Lazy<IReadOnlySet<IPAddress>> _ownAddresses;
    private volatile CpuClaim? _claim;

    private PeerCpu(int number, bool isPeerKnown, Lazy<IReadOnlySet<IPAddress>> ownAddresses)
    {
        Number = number;
        IsPeerKnown = isPeerKnown;
        _ownAddresses = ownAddresses;
    }

    /// <summary>The CPU to take.</summary>
    public int Number { get; }

    /// <summary>Whether the peer is known to be on this host; otherwise the first datagram shows it.</summary>
    public bool IsPeerKnown { get; }

    /// <summary>The CPU that the thread is bound to; null for none. Any thread may ask.</summary>
    public int? Taken => _claim is null ? null : Number;

    /// <summary>
    /// Reads the host's CPUs and addresses for the thread's next end, and runs code that is new to the process. Called
    /// where datagrams may come before <see cref="Find"/>: on a large host it takes longer than a buffer lasts at full
    /// rate.
    /// </summary>
    public static void Prepare()
    {
        if (!OperatingSystem.IsLinux()) return;

        _ = CurrentPlan();
        _preparedAddresses = ReadAddresses();
        CpuClaim.TryTake(RehearsedCpu)?.Dispose();
    }

    /// <summary>The CPU for a flow's thread; null where it is to be free to move.</summary>
    public static PeerCpu? Find(bool isReceiver, IEnumerable<(UdpEndPoint Local, UdpEndPoint Remote)> ends)
    {
        if (!OperatingSystem.IsLinux()) return null;

        IReadOnlySet<IPAddress>? prepared = _preparedAddresses;
        _preparedAddresses = null;
        var own = new Lazy<IReadOnlySet<IPAddress>>(() => prepared ?? ReadAddresses());
        PeerPlace place = PeerPlaces.Of([.. ends], own);
        if (place == PeerPlace.Elsewhere || CurrentPlan().Ends is not var (sender, receiver)) return null;

        // Behind the first datagram there is no time to read them.
        if (place == PeerPlace.Unknown) _ = own.Value;
        return new PeerCpu(isReceiver ? receiver : sender, place == PeerPlace.ThisHost, own);
    }

    /// <summary>
    /// The CPU for the thread of a server, which cannot run where it cannot be bound; null where the system would
    /// refuse it, or where it is to be free to move.
    /// </summary>
    public static int? OfServer() =>
        OperatingSystem.IsLinux() && MayBind() ? CurrentPlan().Ends?.Receiver : null;

    /// <summary>
    /// The CPUs on which a bench places the ends; null where these could only share one, as where the process was
    /// restricted to one. Pure: the same facts give both ends the same plan.
    /// </summary>
    public static (int Sender, int Receiver)? Choose(CpuFacts cpus)
    {
        if (cpus.UsableNumbers.Count < 2) return null;

        var plan = LoopbackPlan.Make(cpus);
        (int sender, int receiver) = (plan.Sender.Threads[0].Number, plan.Receivers.Threads[0].Number);
        return sender == receiver ? null : (sender, receiver);
    }

    /// <summary>
    /// Binds the calling thread to the CPU. Nothing happens where another end has claimed it, or where the system
    /// refuses. Returns whether the thread is bound.
    /// </summary>
    public bool TryTake()
    {
        if (CpuClaim.TryTake(Number) is not { } claim) return false;

        if (!ThreadAffinity.TrySetCurrentThreadCpus([Number], out _))
        {
            claim.Dispose();
            return false;
        }

        _claim = claim;
        return true;
    }

    /// <summary>Does the same where the sender of the first datagram is on this host.</summary>
    public bool TryTakeFor(UdpEndPoint peer) => PeerPlaces.IsThisHost(peer, _ownAddresses) && TryTake();

    /// <summary>
    /// Runs the code of <see cref="TryTakeFor"/> without effect on the thread that will call it. Behind the first
    /// datagram others may follow at full rate: its methods are compiled by then.
    /// </summary>
    public void Rehearse()
    {
        var other = new PeerCpu(RehearsedCpu, isPeerKnown: false, _ownAddresses);
        _ = PeerPlaces.IsThisHost(new UdpEndPoint(IPAddress.Broadcast, 1), _ownAddresses);
        using (other) _ = other.TryTake();
        _ = MayBind();
    }

    /// <summary>Gives the CPU back for others. The thread has ended.</summary>
    public void Dispose() => _claim?.Dispose();

    // Read anew where the thread may use other CPUs than before; those that are taken offline are left out of them.
    private static Plan CurrentPlan()
    {
        int[] allowed = ThreadAffinity.GetCurrentThreadCpus();
        if (_plan is { } known && known.Allowed.AsSpan().SequenceEqual(allowed)) return known;

        return _plan = new Plan(allowed, Choose(CpuFacts.Read()));
    }

    private static HashSet<IPAddress> ReadAddresses() =>
        [.. InterfaceFacts.ReadAll().SelectMany(static network => network.Addresses)];

    // Binds the calling thread to the CPUs that it has.
    private static bool MayBind() =>
        ThreadAffinity.GetCurrentThreadCpus() is { Length: > 0 } same
            && ThreadAffinity.TrySetCurrentThreadCpus(same, out _);

    private sealed record Plan(int[] Allowed, (int Sender, int Receiver)? Ends);
}

/// <summary>
/// The mark of an end whose thread is bound to a CPU: no other end takes that CPU by itself. Linux only.
/// </summary>
/// <remarks>
/// It is a name in the abstract namespace of unix(7), which belongs to a network namespace, as a loopback does. The
/// system gives it back however the process ends, and it needs no file that users could not share.
/// </remarks>
internal sealed class CpuClaim : IDisposable
{
    private readonly Socket[] _sockets;

    private CpuClaim(Socket[] sockets) => _sockets = sockets;

    /// <summary>Claims a CPU; null where another end has it, or where the system refuses.</summary>
    public static CpuClaim? TryTake(int cpu) => TryBind(cpu) is { } socket ? new CpuClaim([socket]) : null;

    /// <summary>Claims CPUs that somebody named: they are used even where another end has claimed them.</summary>
    public static CpuClaim TakeAll(IEnumerable<int> cpus) => new([.. cpus.Distinct().Select(TryBind).OfType<Socket>()]);

    /// <summary>Gives the CPUs back.</summary>
    public void Dispose() => Array.ForEach(_sockets, static socket => socket.Dispose());

    private static Socket? TryBind(int cpu)
    {
        if (!OperatingSystem.IsLinux()) return null;

        Socket? socket = null;
        try
        {
            socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
            socket.Bind(new UnixDomainSocketEndPoint(
                string.Create(CultureInfo.InvariantCulture, $"\0spate/cpu/{cpu}")));
            return socket;
        }
        catch (SocketException)
        {
            socket?.Dispose();
            return null;
        }
    }
}

/// <summary>Where the other end of a flow is.</summary>
internal enum PeerPlace
{
    /// <summary>On another host, or on several ones.</summary>
    Elsewhere,

    /// <summary>On this host, in this network namespace.</summary>
    ThisHost,

    /// <summary>Anyone may send: the first datagram shows it.</summary>
    Unknown,
}

/// <summary>Tells where the other end of a flow is: pure.</summary>
internal static class PeerPlaces
{
    /// <summary>Where the peers of a flow are.</summary>
    /// <param name="ends">The local and the remote end of each; the remote one is the default where anyone may send.
    /// </param>
    /// <param name="ownAddresses">The addresses of this host's interfaces; read only where they matter.</param>
    public static PeerPlace Of(
        IReadOnlyList<(UdpEndPoint Local, UdpEndPoint Remote)> ends, Lazy<IReadOnlySet<IPAddress>> ownAddresses) =>
        ends.All(end => IsThisHost(end.Remote.IsDefault ? LoopbackOf(end.Local) : end.Remote, ownAddresses))
            ? PeerPlace.ThisHost
            : ends.Any(static end => end.Remote.IsDefault) ? PeerPlace.Unknown : PeerPlace.Elsewhere;

    /// <summary>
    /// Whether a peer is on this host. A datagram to an unspecified address goes to the loopback.
    /// </summary>
    public static bool IsThisHost(UdpEndPoint peer, Lazy<IReadOnlySet<IPAddress>> ownAddresses) =>
        !peer.IsDefault
        && (peer.Address.IsLoopback || peer.Address.IsUnspecified
            || ownAddresses.Value.Contains(peer.Address.ToIPAddress()));

    // Nobody but this host sends to a loopback address.
    private static UdpEndPoint LoopbackOf(UdpEndPoint local) => local.Address.IsLoopback ? local : default;
}
