using System.Net;
using BenchmarkDotNet.Attributes;
using Spate.Trains;

namespace Spate.Benchmarks;

/// <summary>What joining reservations to runs and planning trains costs, per datagram.</summary>
[MemoryDiagnoser]
public class PlannerBenchmarks
{
    private const int DatagramCount = 1024;
    private const int PeerCount = 64;
    private const int DatagramBytes = 64;

    private readonly TrainPlan _plan = new(DatagramCount);
    private UdpEndPoint[] _peers = [];
    private SendRun[] _onePeer = [];
    private SendRun[] _interleavedPeers = [];
    private SendRun[] _distinctPeers = [];
    private SendRun[] _mixedSizes = [];

    [GlobalSetup]
    public void Setup()
    {
        var random = new Random(1);
        _peers = [.. Enumerable.Range(0, PeerCount)
            .Select(i => new UdpEndPoint(new IPAddress(new byte[] { 127, 0, 0, (byte)(i + 1) }), 9000))];
        _onePeer = Runs(DatagramCount, _ => 0, _ => DatagramBytes);
        _interleavedPeers = Runs(DatagramCount, i => i % PeerCount, _ => DatagramBytes);
        _distinctPeers = Runs(PeerCount, i => i, _ => DatagramBytes);
        _mixedSizes = Runs(DatagramCount, _ => random.Next(PeerCount), _ => random.Next(1, 1400));
    }

    [Benchmark(OperationsPerInvoke = DatagramCount)]
    public int ExtendRun()
    {
        UdpEndPoint peer = _peers[0];
        var run = new SendRun(in peer, SendRun.NoControl, SendRun.OwnBuffer, 0, DatagramBytes);
        for (int i = 1; i < DatagramCount; i++)
        {
            run.TryExtend(in peer, SendRun.NoControl, SendRun.OwnBuffer, i * DatagramBytes, DatagramBytes);
        }

        return run.SegmentCount;
    }

    [Benchmark(OperationsPerInvoke = DatagramCount)]
    public int PlanOnePeer() => Plan(_onePeer);

    [Benchmark(OperationsPerInvoke = DatagramCount)]
    public int PlanInterleavedPeers() => Plan(_interleavedPeers);

    [Benchmark(OperationsPerInvoke = PeerCount)]
    public int PlanDistinctPeers() => Plan(_distinctPeers);

    [Benchmark(OperationsPerInvoke = DatagramCount)]
    public int PlanMixedSizes() => Plan(_mixedSizes);

    private int Plan(SendRun[] runs)
    {
        _plan.Clear();
        TrainPlanner.Plan(runs, TrainLimits.Default, _plan);
        return _plan.Trains.Length;
    }

    private SendRun[] Runs(int datagramCount, Func<int, int> peerIndexOf, Func<int, int> bytesOf)
    {
        var runs = new List<SendRun>();
        int offsetBytes = 0;
        for (int i = 0; i < datagramCount; i++)
        {
            UdpEndPoint peer = _peers[peerIndexOf(i)];
            int bytes = bytesOf(i);
            Span<SendRun> made = System.Runtime.InteropServices.CollectionsMarshal.AsSpan(runs);
            if (made.IsEmpty
                || !made[^1].TryExtend(in peer, SendRun.NoControl, SendRun.OwnBuffer, offsetBytes, bytes))
            {
                runs.Add(new SendRun(in peer, SendRun.NoControl, SendRun.OwnBuffer, offsetBytes, bytes));
            }

            offsetBytes += bytes;
        }

        return [.. runs];
    }
}
