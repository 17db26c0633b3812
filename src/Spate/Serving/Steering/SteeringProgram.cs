using Spate.Interop.Linux;

namespace Spate.Serving.Steering;

/// <summary>
/// Classic BPF programs for SO_ATTACH_REUSEPORT_CBPF (socket.7), which return the index of a datagram's shard. The
/// kernel runs them with the data pointer after the UDP header, so the programs address headers relative to the network
/// header.
/// </summary>
internal static class SteeringProgram
{
    private const ushort LoadByte = Filter.BPF_LD | Filter.BPF_B | Filter.BPF_ABS;
    private const ushort LoadWord = Filter.BPF_LD | Filter.BPF_W | Filter.BPF_ABS;
    private const ushort LoadHalf = Filter.BPF_LD | Filter.BPF_H | Filter.BPF_ABS;
    private const ushort LoadHalfAtX = Filter.BPF_LD | Filter.BPF_H | Filter.BPF_IND;
    private const ushort HeaderLengthToX = Filter.BPF_LDX | Filter.BPF_B | Filter.BPF_MSH;
    private const ushort Store = Filter.BPF_ST;
    private const ushort MemoryToX = Filter.BPF_LDX | Filter.BPF_W | Filter.BPF_MEM;
    private const ushort MultiplyBy = Filter.BPF_ALU | Filter.BPF_MUL | Filter.BPF_K;
    private const ushort AddX = Filter.BPF_ALU | Filter.BPF_ADD | Filter.BPF_X;
    private const ushort ShiftRightBy = Filter.BPF_ALU | Filter.BPF_RSH | Filter.BPF_K;
    private const ushort XorX = Filter.BPF_ALU | Filter.BPF_XOR | Filter.BPF_X;
    private const ushort XorWith = Filter.BPF_ALU | Filter.BPF_XOR | Filter.BPF_K;
    private const ushort ModuloBy = Filter.BPF_ALU | Filter.BPF_MOD | Filter.BPF_K;
    private const ushort AToX = Filter.BPF_MISC | Filter.BPF_TAX;
    private const ushort IfEqual = Filter.BPF_JMP | Filter.BPF_JEQ | Filter.BPF_K;
    private const ushort ReturnA = Filter.BPF_RET | Filter.BPF_A;
    private const ushort Return = Filter.BPF_RET | Filter.BPF_K;

    /// <summary>
    /// Chooses the shard that is tied to the CPU that received the datagram. If no shard is tied to that CPU, the shard
    /// is the number of the CPU modulo the number of shards.
    /// </summary>
    public static sock_filter[] ByCpu(int shardCount, Func<int, int> cpuOfShard)
    {
        List<sock_filter> program = [new(LoadWord, 0, 0, unchecked((uint)(Filter.SKF_AD_OFF + Filter.SKF_AD_CPU)))];
        HashSet<int> named = [];
        for (int shard = 0; shard < shardCount; shard++)
        {
            int cpu = cpuOfShard(shard);
            if (cpu < 0 || !named.Add(cpu)) continue;
            program.Add(new(IfEqual, 0, 1, (uint)cpu));
            program.Add(new(Return, 0, 0, (uint)shard));
        }

        program.Add(new(ModuloBy, 0, 0, (uint)shardCount));
        program.Add(new(ReturnA, 0, 0, 0));
        return [.. program];
    }

    /// <summary>Chooses a random shard for each buffer that arrives.</summary>
    public static sock_filter[] ByChance(int shardCount) =>
    [
        new(LoadWord, 0, 0, unchecked((uint)(Filter.SKF_AD_OFF + Filter.SKF_AD_RANDOM))),
        new(ModuloBy, 0, 0, (uint)shardCount),
        new(ReturnA, 0, 0, 0),
    ];

    /// <summary>
    /// Chooses the shard by a keyed hash of the peer's address and port. Peers do not know the key, so a peer that
    /// chooses its ports cannot choose its shard. In an IPv6 datagram with extension headers, other bytes are in the
    /// usual place of the port. These bytes are the same for all datagrams of a flow, so the flow still stays with one
    /// shard.
    /// </summary>
    public static sock_filter[] ByFlow(int shardCount, uint key)
    {
        sock_filter[] v6 =
        [
            .. MixIn(LoadWord, Net(8), key), .. MixIn(LoadWord, Net(12), key), .. MixIn(LoadWord, Net(16), key),
            .. MixIn(LoadWord, Net(20), key), .. MixIn(LoadHalf, Net(40), key), .. Finish(shardCount),
        ];
        sock_filter[] v4 =
        [
            .. MixIn(LoadWord, Net(12), key),
            new(HeaderLengthToX, 0, 0, Net(0)),
            new(LoadHalfAtX, 0, 0, Net(0)),
            .. Mix(key),
            .. Finish(shardCount),
        ];
        return
        [
            new(Filter.BPF_LD | Filter.BPF_IMM, 0, 0, key),
            new(Store, 0, 0, 0),
            new(LoadByte, 0, 0, Net(0)),
            new(ShiftRightBy, 0, 0, 4),
            new(IfEqual, (byte)v4.Length, 0, 6),
            .. v4,
            .. v6,
        ];
    }

    private static uint Net(int offset) => unchecked((uint)(Filter.SKF_NET_OFF + offset));

    private static sock_filter[] MixIn(ushort load, uint offset, uint key) => [new(load, 0, 0, offset), .. Mix(key)];

    // Computes M[0] = mix(M[0] + A). Multiplying by an odd factor carries every bit upward; the shift brings the high
    // bits down again.
    private static sock_filter[] Mix(uint key) =>
    [
        new(MemoryToX, 0, 0, 0),
        new(AddX, 0, 0, 0),
        new(XorWith, 0, 0, (key >> 7) | (key << 25)),
        new(MultiplyBy, 0, 0, 0x9E3779B1),
        new(AToX, 0, 0, 0),
        new(ShiftRightBy, 0, 0, 15),
        new(XorX, 0, 0, 0),
        new(MultiplyBy, 0, 0, 0x85EBCA77),
        new(Store, 0, 0, 0),
    ];

    private static sock_filter[] Finish(int shardCount) =>
    [
        new(AToX, 0, 0, 0),
        new(ShiftRightBy, 0, 0, 13),
        new(XorX, 0, 0, 0),
        new(ModuloBy, 0, 0, (uint)shardCount),
        new(ReturnA, 0, 0, 0),
    ];
}

/// <summary>
/// Waits until the kernel has finished with the datagrams that it is processing now. After <see cref="Wait"/>, every
/// datagram whose socket was chosen by an already replaced program is in the queue of that socket or was dropped. A
/// wait takes up to some tens of milliseconds.
/// </summary>
internal static class RcuGracePeriod
{
    private const int PauseMilliseconds = 50;

    public static void Wait()
    {
        // The kernel processes arriving datagrams in read-side critical sections of RCU, and replaces programs under
        // RCU. With this command, membarrier(2) waits until all sections that are running now have ended. If the call
        // is not possible, the thread pauses instead.
        bool hasWaited = OperatingSystem.IsLinux()
            && Membarrier.SYS_membarrier is { } number
            && Membarrier.Call(number, Membarrier.MEMBARRIER_CMD_GLOBAL, 0, 0) == 0;
        if (!hasWaited) Thread.Sleep(PauseMilliseconds);
    }
}
