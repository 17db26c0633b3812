using System.Runtime.CompilerServices;
using Spate.HostTuning.Interop.Linux;

namespace Spate.HostTuning.Settings;

/// <summary>What ethtool(8) sets of a card. <c>RequestBytes</c>: 32 bits for the command, 32 for each number.</summary>
internal sealed record CardNumber(
    string Word,
    string Option,
    string Argument,
    uint GetCommand,
    uint SetCommand,
    int RequestBytes,
    int Index,
    bool IsSwitch = false)
{
    public static CardNumber RingRx { get; } = Ring("rx", 5);

    public static CardNumber RingTx { get; } = Ring("tx", 8);

    public static CardNumber QueuesCombined { get; } = Queues("combined", 8);

    public static CardNumber QueuesRx { get; } = Queues("rx", 5);

    public static CardNumber QueuesTx { get; } = Queues("tx", 6);

    public static CardNumber AdaptiveRx { get; } = Coalesce("adaptive-rx", 10, isSwitch: true);

    public static CardNumber AdaptiveTx { get; } = Coalesce("adaptive-tx", 11, isSwitch: true);

    /// <summary>How long the card waits after an arrival before it interrupts.</summary>
    public static CardNumber RxMicroseconds { get; } = Coalesce("rx-usecs", 1);

    public static CardNumber TxMicroseconds { get; } = Coalesce("tx-usecs", 5);

    public static CardNumber PauseRx { get; } = Pause("rx", 2);

    public static CardNumber PauseTx { get; } = Pause("tx", 3);

    public static IReadOnlyList<CardNumber> All { get; } =
    [
        RingRx, RingTx, QueuesCombined, QueuesRx, QueuesTx, AdaptiveRx, AdaptiveTx, RxMicroseconds, TxMicroseconds,
        PauseRx, PauseTx,
    ];

    private static CardNumber Ring(string argument, int index) => new(
        $"ring-{argument}",
        "-G",
        argument,
        Ethtool.ETHTOOL_GRINGPARAM,
        Ethtool.ETHTOOL_SRINGPARAM,
        Unsafe.SizeOf<ethtool_ringparam>(),
        index);

    private static CardNumber Queues(string argument, int index) => new(
        $"queues-{argument}",
        "-L",
        argument,
        Ethtool.ETHTOOL_GCHANNELS,
        Ethtool.ETHTOOL_SCHANNELS,
        Unsafe.SizeOf<ethtool_channels>(),
        index);

    private static CardNumber Coalesce(string argument, int index, bool isSwitch = false) => new(
        $"coalesce-{argument}",
        "-C",
        argument,
        Ethtool.ETHTOOL_GCOALESCE,
        Ethtool.ETHTOOL_SCOALESCE,
        Unsafe.SizeOf<ethtool_coalesce>(),
        index,
        isSwitch);

    private static CardNumber Pause(string argument, int index) => new(
        $"pause-{argument}",
        "-A",
        argument,
        Ethtool.ETHTOOL_GPAUSEPARAM,
        Ethtool.ETHTOOL_SPAUSEPARAM,
        Unsafe.SizeOf<ethtool_pauseparam>(),
        index,
        IsSwitch: true);
}
