namespace Spate.Tests;

/// <summary>
/// The first batch of a socket switches coalesced receive on, while single receives of other threads are under way.
/// </summary>
public sealed class FirstBatchTests
{
    private const int SegmentBytes = 100;
    private const int SegmentCount = 5;
    private const int MessageCount = 4;
    private const int DatagramCount = MessageCount * SegmentCount;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    [Fact]
    public void Receive_FirstBatchMeetsSingleReceiver_EveryDatagramComesOnceAndWhole()
    {
        UdpCapability coalesced = UdpCapabilities.Current.CoalescedReceive;
        UdpCapability segmented = UdpCapabilities.Current.SegmentedSend;
        Assert.SkipUnless(coalesced.IsAvailable, coalesced.Reason);
        Assert.SkipUnless(segmented.IsAvailable, segmented.Reason);
        Random random = RandomCase.Create();
        using UdpSocket sender = UdpSocket.Bind(UdpEndPoint.Loopback(0));
        using SendBatch batch = sender.CreateSendBatch();
        int mixedCount = 0;
        int roundCount = TestWidth.Of(1500, 10_000);
        int needed = (roundCount / 100) + 1;

        // A busy machine mixes fewer: up to four times the rounds, until there are enough.
        for (int round = 0; round < roundCount || (mixedCount < needed && round < 4 * roundCount); round++)
        {
            using var race = new Race(sender.LocalEndPoint, round % 3 == 0, random.Next(400), random.Next(400));
            race.Start();
            for (int message = 0; message < MessageCount; message++)
            {
                Fill(batch, race.Socket.LocalEndPoint, message);
                Assert.Equal(SegmentCount, sender.Send(batch).Sent);
                Thread.SpinWait(random.Next(200));
            }

            race.Join(round);
            if (race.HasBothReceived) mixedCount++;
        }

        // Without rounds in which both kinds received something, the test would show nothing.
        Assert.True(mixedCount >= needed, $"In {mixedCount} of {roundCount} rounds both kinds received.");
    }

    private static void Fill(SendBatch batch, UdpEndPoint peer, int message)
    {
        for (int i = 0; i < SegmentCount; i++)
        {
            Assert.True(batch.TryReserve(peer, SegmentBytes, out Span<byte> payload));
            payload.Clear();
            payload[0] = (byte)((message * SegmentCount) + i);
        }
    }

    /// <summary>One socket, a thread that receives one by one, and a thread that receives batches.</summary>
    private sealed class Race : IDisposable
    {
        private readonly int[] _seen = new int[DatagramCount];
        private readonly UdpEndPoint _sender;
        private readonly Thread[] _threads;
        private readonly ManualResetEventSlim _complete = new();
        private int _seenCount;
        private int _oneCount;
        private volatile Exception? _fault;

        public Race(UdpEndPoint sender, bool isAwaited, int oneSpin, int batchSpin)
        {
            _sender = sender;
            _threads =
            [
                new Thread(() => Run(oneSpin, isAwaited ? AwaitOnes : ReceiveOnes)) { IsBackground = true },
                new Thread(() => Run(batchSpin, ReceiveBatches)) { IsBackground = true },
            ];
        }

        public UdpSocket Socket { get; } = UdpSocket.Bind(UdpEndPoint.Loopback(0));

        public bool HasBothReceived => _oneCount is > 0 and < DatagramCount;

        public void Start()
        {
            foreach (Thread thread in _threads) thread.Start();
        }

        public void Join(int round)
        {
            bool isComplete = _complete.Wait(Patience, TestContext.Current.CancellationToken);
            Socket.Dispose();
            foreach (Thread thread in _threads) Assert.True(thread.Join(Patience), "A receive did not end.");
            Assert.Null(_fault);
            Assert.True(isComplete, $"Round {round}: {string.Concat(_seen)} of each datagram came.");
            Assert.Equal(Enumerable.Repeat(1, DatagramCount), _seen);
            Assert.Equal(0, Socket.GetCounters().DatagramsTruncated);
        }

        public void Dispose()
        {
            Socket.Dispose();
            _complete.Dispose();
        }

        private void Run(int spin, Action receive)
        {
            try
            {
                Thread.SpinWait(spin);
                receive();
            }
            catch (ObjectDisposedException)
            {
                // The round is over.
            }
            catch (Exception fault)
            {
                _fault = fault;
                _complete.Set();
            }
        }

        // The buffer holds one segment and no more: of a coalesced buffer the rest would be lost.
        private void ReceiveOnes()
        {
            byte[] buffer = new byte[SegmentBytes];
            while (Socket.ReceiveFrom(buffer, out ReceivedDatagram one) == ReceiveStatus.Received)
            {
                NoteOne(one.Peer, buffer);
            }
        }

        private void AwaitOnes()
        {
            byte[] buffer = new byte[SegmentBytes];
            while (true)
            {
                ReceivedDatagram one = Socket.ReceiveFromAsync(buffer).AsTask().GetAwaiter().GetResult();
                NoteOne(one.Peer, buffer);
            }
        }

        private void ReceiveBatches()
        {
            using ReceiveBatch batch = Socket.CreateReceiveBatch();
            while (Socket.Receive(batch) == ReceiveStatus.Received)
                foreach (Datagram datagram in batch) Note(datagram.Peer, datagram.Payload);
        }

        private void NoteOne(UdpEndPoint peer, byte[] buffer)
        {
            if (peer == _sender) _oneCount++;
            Note(peer, buffer);
        }

        // Another test may still send to the port, if it was the port of a socket that it has closed.
        private void Note(UdpEndPoint peer, ReadOnlySpan<byte> payload)
        {
            if (peer != _sender) return;

            Interlocked.Increment(ref _seen[payload[0]]);
            if (Interlocked.Increment(ref _seenCount) == DatagramCount) _complete.Set();
        }
    }
}
