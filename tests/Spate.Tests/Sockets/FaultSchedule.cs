namespace Spate.Tests.Sockets;

/// <summary>What is counted, and can be made to fail, on its own.</summary>
internal enum CallKind
{
    /// <summary>A call of recvmmsg.</summary>
    ReceiveMany,

    /// <summary>A call of recvmsg.</summary>
    ReceiveOne,

    /// <summary>One datagram offered to the kernel by whichever call.</summary>
    PlainSend,

    /// <summary>One GSO message offered to the kernel by whichever call.</summary>
    GsoMessageSend,

    /// <summary>A call of poll.</summary>
    Poll,
}

/// <summary>A message as it is offered to the kernel.</summary>
/// <param name="Peer">To whom.</param>
/// <param name="SegmentBytes">The segment size of a GSO message; 0 for a plain datagram.</param>
internal readonly record struct OfferedMessage(UdpEndPoint Peer, int SegmentBytes)
{
    public bool IsGso => SegmentBytes > 0;

    public CallKind Kind => IsGso ? CallKind.GsoMessageSend : CallKind.PlainSend;
}

/// <summary>
/// Which calls fail and how; shared by the struct copies of <see cref="FaultyCalls"/>. sendmmsg behaves as the kernel
/// does: a message that fails behind others is not reported but met again, as the first of the next call.
/// </summary>
internal sealed class FaultSchedule
{
    private readonly Lock _lock = new();
    private readonly long[] _counts = new long[(int)CallKind.Poll + 1];
    private readonly Rule[] _rules = new Rule[(int)CallKind.Poll + 1];

    /// <summary>The most messages that one sendmmsg takes.</summary>
    public int MaxSendCount { get; set; } = int.MaxValue;

    /// <summary>What is wrong with a message, each time that it is offered: an errno, or 0.</summary>
    public Func<OfferedMessage, int> ErrnoOf { get; set; } = static _ => 0;

    /// <summary>What poll answers instead of asking the kernel; null asks it. It is given the timeout.</summary>
    public Func<int, int?> PollAnswer { get; set; } = static _ => null;

    /// <summary>Runs before each call.</summary>
    public Action<CallKind> Before { get; set; } = static _ => { };

    /// <summary>Runs before the socket's error queue is read, which nothing else here is about.</summary>
    public Action BeforeErrorQueue { get; set; } = static () => { };

    /// <summary>Calls to sendto, sendmsg and sendmmsg.</summary>
    public long SendCalls { get; set; }

    public void FailEvery(CallKind kind, int every, int errno, long maxTimes = long.MaxValue)
    {
        lock (_lock) _rules[(int)kind] = new Rule(every, errno, maxTimes);
    }

    public long CountOf(CallKind kind)
    {
        lock (_lock) return _counts[(int)kind];
    }

    /// <summary>The errno of a call that is made now, or 0.</summary>
    public int Take(CallKind kind)
    {
        Before(kind);
        lock (_lock) return TakeLocked(kind);
    }

    /// <summary>Whether the message would fail if <paramref name="aheadCount"/> of its kind went before it.</summary>
    public bool WouldFail(in OfferedMessage message, int aheadCount)
    {
        if (ErrnoOf(message) != 0) return true;
        lock (_lock) return _rules[(int)message.Kind].Matches(_counts[(int)message.Kind] + aheadCount + 1);
    }

    /// <summary>The errno of the first message of a call, or 0.</summary>
    public int TakeMessage(in OfferedMessage message)
    {
        int errno = ErrnoOf(message);
        lock (_lock)
        {
            int scheduled = TakeLocked(message.Kind);
            return errno != 0 ? errno : scheduled;
        }
    }

    private int TakeLocked(CallKind kind)
    {
        ref Rule rule = ref _rules[(int)kind];
        long number = ++_counts[(int)kind];
        if (!rule.Matches(number)) return 0;
        rule = rule with { TimesLeft = rule.TimesLeft - 1 };
        return rule.Errno;
    }

    private readonly record struct Rule(int Every, int Errno, long TimesLeft)
    {
        public bool Matches(long number) => Every > 0 && TimesLeft > 0 && number % Every == 0;
    }
}
