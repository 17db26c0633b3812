using System.Globalization;
using Spate.Gateway;
using Spate.Gateway.Format;
using Spate.Gateway.Pipelines;

namespace Spate.Tests.Gateway.Pipelines;

/// <summary>
/// A pipeline under random events in any order, beside a broker that remembers what it stored. After every step the
/// account is exact; nothing that counts as committed is missing; what was stored first keeps its order.
/// </summary>
public sealed class PipelineModelTests
{
    private const int StepCount = 2_000;
    private const int PartitionCount = 2;

    private static int RunCount => TestWidth.Of(20, full: 500);

    [Theory]
    [InlineData(GatewayFullMode.DropArriving)]
    [InlineData(GatewayFullMode.DropOldest)]
    public void Pipeline_RandomEvents_AccountIsExactAndNothingConfirmedIsMissing(GatewayFullMode fullMode)
    {
        string? given = Environment.GetEnvironmentVariable("SPATE_SEED");
        int seed = given is null ? Random.Shared.Next() : int.Parse(given, CultureInfo.InvariantCulture);
        TestContext.Current.TestOutputHelper?.WriteLine($"SPATE_SEED={seed}");
        for (int run = 0; run < RunCount; run++)
        {
            Model model = new(new Random(seed + run), fullMode);
            for (int step = 0; step < StepCount; step++) model.Step();
            model.End();
        }
    }

    /// <summary>What a broker has of a pack that was published on the present connection.</summary>
    private sealed record Published(ulong Tag, int Partition, ulong First, int Count, byte[] Head)
    {
        public bool IsReturned { get; set; }
    }

    private sealed class Model
    {
        private readonly Random _random;
        private readonly ShardPipeline _pipeline;
        private readonly PackSlot[] _slots;
        private readonly List<Published> _open = [];
        private readonly HashSet<ulong>[] _stored = [[], []];
        private readonly ulong[] _next = new ulong[PartitionCount];
        private readonly bool _refuses;
        private ILinkListener? _listener;
        private ulong _nextTag;
        private long _accepted;
        private long _notAllowed;

        public Model(Random random, GatewayFullMode fullMode)
        {
            _random = random;

            // A refusal overtakes: the order of first occurrences is promised without refusals only.
            _refuses = random.Next(2) == 0;
            FakeTime time = new();
            _pipeline = new ShardPipeline(
                PipelineCase.Plan(time, PartitionCount, window: 4, packCount: 12, fullMode), shardIndex: 0);
            _pipeline.Open([UdpEndPoint.Loopback(9)]);
            _slots = [new PackSlot(0), new PackSlot(1)];
        }

        public void Step()
        {
            switch (_random.Next(20))
            {
                case < 7: Receive(); break;
                case < 12: Publish(); break;
                case < 16: Confirm(); break;
                case 16 when _refuses: Refuse(); break;
                case 17 when _refuses: Return(); break;
                case 18 when _random.Next(4) == 0: Lose(); break;
                case 19: _pipeline.Heartbeat(0, UdpDropUnit.None); break;
                default: Block(); break;
            }

            Check();
        }

        public void End()
        {
            _pipeline.Fold(_slots, 0);
            foreach (PackSlot slot in _slots) PipelineCase.Submit(_pipeline, slot);
            _pipeline.Complete();
            for (int i = _random.Next(200); i > 0; i--)
            {
                Publish();
                Confirm();
                Check();
            }

            _pipeline.GiveUp();
            Check();
            Publish();
            _pipeline.Finish();
            Check();
            GatewayPipelineStatistics end = _pipeline.Read();
            Assert.Equal(0, end.InFlight);
            Assert.Equal(end.Accepted, end.Committed + end.Dropped + end.InDoubt);
            Assert.Equal(PipelineStep.End, _pipeline.Next(out _, out _));
        }

        private void Receive()
        {
            PackSlot slot = _slots[_random.Next(PartitionCount)];
            for (int i = _random.Next(1, 60); i > 0; i--)
            {
                PipelineCase.Accept(_pipeline, slot);
                _accepted++;
            }

            long notAllowed = _random.Next(3);
            _notAllowed += notAllowed;
            if (_random.Next(3) == 0) PipelineCase.Submit(_pipeline, slot);
            _pipeline.Fold(_slots, notAllowed);
        }

        private void Publish()
        {
            switch (_pipeline.Next(out PackBuffer? pack, out _))
            {
                case PipelineStep.Connect:
                    _listener = _pipeline.Attach();
                    _nextTag = 1;
                    _pipeline.Connected(_listener);
                    break;
                case PipelineStep.Pause:
                    _pipeline.EndPause();
                    break;
                case PipelineStep.Publish:
                    _open.Add(new Published(
                        _nextTag++,
                        pack!.IsAccounting ? -1 : pack.Partition,
                        pack.FirstSequence,
                        pack.Count,
                        pack.Message[..PackPrefix.FixedBytes].ToArray()));
                    break;
            }
        }

        private void Confirm()
        {
            if (_open.Count == 0) return;
            bool multiple = _random.Next(2) == 0;
            Published last = _open[_random.Next(_open.Count)];

            // A broker stores in order, and confirms in any.
            foreach (Published each in _open.FindAll(each => each.Tag <= last.Tag)) Store(each);
            _open.RemoveAll(each => each == last || (multiple && each.Tag < last.Tag));
            _listener!.OnConfirmed(last.Tag, multiple);
        }

        private void Refuse()
        {
            if (_open.Count == 0) return;
            bool multiple = _random.Next(2) == 0;
            Published last = _open[_random.Next(_open.Count)];
            _open.RemoveAll(each => each == last || (multiple && each.Tag < last.Tag));
            _listener!.OnRefused(last.Tag, multiple);
        }

        private void Return()
        {
            if (_open.Count == 0) return;

            // Equal messages cannot be told apart, as two accounting messages without anything in between.
            Published each = _open[_random.Next(_open.Count)];
            Published first = _open.Find(other => !other.IsReturned && other.Head.SequenceEqual(each.Head)) ?? each;
            first.IsReturned = true;
            _listener!.OnReturned(each.Head);
        }

        private void Lose()
        {
            if (_listener is null) return;

            // What was under way is stored up to a point, which nobody is told.
            int storedCount = _random.Next(_open.Count + 1);
            foreach (Published each in _open.Take(storedCount)) Store(each);
            ILinkListener old = _listener;
            old.OnLost("The connection is lost.", isRefusal: false);
            foreach (Published each in _open) old.OnConfirmed(each.Tag, multiple: false);
            _open.Clear();
            _listener = null;
        }

        private void Block() => _listener?.OnBlocked(_random.Next(4) == 0 ? "low on memory" : null);

        private void Store(Published each)
        {
            if (each.Partition < 0 || each.IsReturned) return;
            HashSet<ulong> stored = _stored[each.Partition];
            if (!_refuses && !stored.Contains(each.First))
            {
                Assert.True(each.First >= _next[each.Partition], "A pack came later than its successor.");
                _next[each.Partition] = each.First + (ulong)each.Count;
            }

            for (int i = 0; i < each.Count; i++) stored.Add(each.First + (ulong)i);
        }

        private void Check()
        {
            GatewayPipelineStatistics now = _pipeline.Read();
            Assert.Equal(0, now.Difference);
            Assert.Equal(_accepted + _notAllowed, now.Accepted);
            Assert.True(now.Committed <= _stored.Sum(stored => stored.Count), "Something committed is not stored.");
            Assert.True(now.InFlight >= 0 && now.InDoubt >= 0);
            Assert.InRange(now.MessagesUnconfirmed, 0, 4);
            Assert.InRange(now.PackBytesUsed, 0, now.MaxPackBytes);
        }
    }
}
