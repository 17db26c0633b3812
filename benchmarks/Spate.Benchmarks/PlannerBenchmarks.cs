using System.Net;
using BenchmarkDotNet.Attributes;
using Spate.Buffers;
using Spate.Segmentation;

namespace Spate.Benchmarks;

/// <summary>What reserving and planning GSO messages costs, per datagram, without the system call.</summary>
[MemoryDiagnoser]
public class PlannerBenchmarks
{
    private const int DatagramCount = 1024;
    private const int PeerCount = 64;
    private const int DatagramBytes = 64;
    private const int MaxBytes = 1400;

    private readonly SendQueue _queue = new(GsoLimits.Default, DatagramCount, DatagramCount * MaxBytes);
    private readonly int[] _mixedPeers = new int[DatagramCount];
    private readonly int[] _mixedBytes = new int[DatagramCount];
    private UdpEndPoint[] _peers = [];

    [GlobalSetup]
    public void Setup()
    {
        var random = new Random(1);
        _peers = [.. Enumerable.Range(0, PeerCount)
            .Select(i => new UdpEndPoint(new IPAddress(new byte[] { 127, 0, 0, (byte)(i + 1) }), 9000))];
        for (int i = 0; i < DatagramCount; i++)
        {
            _mixedPeers[i] = random.Next(PeerCount);
            _mixedBytes[i] = random.Next(1, MaxBytes);
        }
    }

    [Benchmark(OperationsPerInvoke = DatagramCount)]
    public int OnePeer()
    {
        for (int i = 0; i < DatagramCount; i++) _queue.TryReserve(_peers[0], DatagramBytes, out _);
        return Plan();
    }

    [Benchmark(OperationsPerInvoke = DatagramCount)]
    public int OnePeerTrimmed()
    {
        for (int i = 0; i < DatagramCount; i++)
        {
            _queue.TryReserve(_peers[0], MaxBytes, out _);
            _queue.Trim(DatagramBytes);
        }

        return Plan();
    }

    [Benchmark(OperationsPerInvoke = DatagramCount)]
    public int InterleavedPeers()
    {
        for (int i = 0; i < DatagramCount; i++) _queue.TryReserve(_peers[i % PeerCount], DatagramBytes, out _);
        return Plan();
    }

    [Benchmark(OperationsPerInvoke = DatagramCount)]
    public int MixedPeersAndSizes()
    {
        for (int i = 0; i < DatagramCount; i++) _queue.TryReserve(_peers[_mixedPeers[i]], _mixedBytes[i], out _);
        return Plan();
    }

    private int Plan()
    {
        _queue.Plan.Begin();
        int messageCount = _queue.Plan.Messages.Length;
        _queue.Clear();
        return messageCount;
    }
}
