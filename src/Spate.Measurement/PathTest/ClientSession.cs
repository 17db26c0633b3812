using System.Buffers.Binary;
using Spate.Measurement.Traffic;

namespace Spate.Measurement.PathTest;

/// <summary>The data of a test at its client, and the report that it fetches from the server afterwards.</summary>
internal sealed class ClientSession(
    ControlLink link, TestParameters granted, IReadOnlyList<TestFlow> flows, EndOptions end, TimeProvider time)
    : TestSession(link, time)
{
    private const int ByeCopies = 3;

    // After a stop, the server has so long for the end of its data, and again for its report.
    private static readonly TimeSpan StopTime = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan RepeatTime = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan StepTime = TimeSpan.FromMilliseconds(20);

    private readonly Lock _tellLock = new();
    private bool _isStarted;
    private long _toldLost;
    private byte[]? _report;
    private bool[] _hasPart = [];
    private int _partsMissing;

    /// <summary>Tells the server that the test is over. Where no copy arrives, it notices the silence.</summary>
    public static void SayBye(ControlLink link)
    {
        for (int copy = 0; copy < ByeCopies; copy++)
        {
            link.Send(ControlKind.Bye, []);
        }
    }

    public static TrafficException GaveUp(ControlLink link, in ControlMessage refusal) =>
        new($"{link.Socket.Peer} gave up: {HandshakeBodies.TextOfRefusal(refusal.Body)}");

    /// <summary>Throws <see cref="TrafficException"/> where an end failed or fell silent.</summary>
    public (TestEndReport Local, TestEndReport Remote) Run(
        Action<TrafficInterval, bool>? onInterval, CancellationToken stop)
    {
        var traffic = new PathTestTraffic(granted, isClient: true, flows, end, Time);
        Watch(traffic);
        traffic.StartReceiving(Teller(onInterval, isReceived: true));
        Start(stop);
        traffic.StartSending(Teller(onInterval, isReceived: false));
        Await("has not ended the data", TimeSpan.FromSeconds(granted.Seconds ?? 0) + SpareTime);
        while (!IsDataOver)
        {
            Step(StepTime);
            if (!stop.IsCancellationRequested || IsStopping) continue;

            IsStopping = true;
            traffic.StopSending();
            Await("has not ended the data, which was stopped here,", StopTime);
        }

        // The server has its report when its drain period is over: what the queues here dropped until then is counted.
        TestEndReport remote = Fetch(stop);
        return (MakeReport(), remote);
    }

    protected override void OnMessage(in ControlMessage message)
    {
        switch (message.Kind)
        {
            case ControlKind.Started:
                _isStarted = true;
                break;
            case ControlKind.Part:
                TakePart(message);
                break;
            case ControlKind.Refuse:
                throw GaveUp(Link, message);
        }
    }

    private void Start(CancellationToken stop)
    {
        Await("has not started the test", Patience);
        long sentTicks = 0;
        while (!_isStarted)
        {
            if (sentTicks == 0 || Time.GetElapsedTime(sentTicks) >= RepeatTime)
            {
                sentTicks = Time.GetTimestamp();
                Link.Send(ControlKind.Start, []);
            }

            StepUnlessStopped("had started the test", stop);
        }
    }

    // A stop during the data is not meant: it ended the data, and the report is still wanted.
    private void StepUnlessStopped(string until, CancellationToken stop)
    {
        if (stop.IsCancellationRequested && !IsStopping)
        {
            throw new TrafficException($"stopped before {Link.Socket.Peer} {until}");
        }

        Step(StepTime);
    }

    /// <summary>One at a time. Only the server's heartbeats tell what arrived of what was sent.</summary>
    private Action<TrafficInterval>? Teller(Action<TrafficInterval, bool>? onInterval, bool isReceived) =>
        onInterval is null ? null : interval =>
        {
            lock (_tellLock)
            {
                if (!isReceived)
                {
                    long lost = Other.Lost;
                    interval.Total.Lost = lost - _toldLost;
                    _toldLost = lost;
                }

                onInterval(interval, isReceived);
            }
        };

    private TestEndReport Fetch(CancellationToken stop)
    {
        Await("has not sent its report", IsStopping ? StopTime : SpareTime);
        Span<byte> count = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(count, ReportParts.MaxPartsPerFetch);
        long fetchedTicks = 0;
        int missingThen = 0;
        while (_report is null || _partsMissing > 0)
        {
            // At once where all that was asked for has come.
            bool isServed = _report is not null && missingThen - _partsMissing >= ReportParts.MaxPartsPerFetch;
            if (fetchedTicks == 0 || isServed || Time.GetElapsedTime(fetchedTicks) >= RepeatTime)
            {
                (fetchedTicks, missingThen) = (Time.GetTimestamp(), _partsMissing);
                Link.Send(ControlKind.Fetch, count, Math.Max(0, Array.IndexOf(_hasPart, value: false)));
            }

            StepUnlessStopped("had sent its report", stop);
        }

        SayBye(Link);
        return TestEndReport.Read(_report)
            ?? throw new TrafficException($"the report of {Link.Socket.Peer} cannot be read");
    }

    private void TakePart(in ControlMessage message)
    {
        if (message.Body.Length <= sizeof(int)) return;

        int reportBytes = BinaryPrimitives.ReadInt32BigEndian(message.Body);
        if (_report is null)
        {
            if (reportBytes is < 1 or > ReportParts.MaxReportBytes) return;

            _report = new byte[reportBytes];
            _hasPart = new bool[ReportParts.CountOf(reportBytes)];
            _partsMissing = _hasPart.Length;
        }

        ReadOnlySpan<byte> part = message.Body[sizeof(int)..];
        if (reportBytes != _report.Length || message.Number >= _hasPart.Length || _hasPart[message.Number]
            || part.Length != ReportParts.Cut(_report, (int)message.Number).Length)
        {
            return;
        }

        part.CopyTo(_report.AsSpan((int)message.Number * ReportParts.PartBytes));
        _hasPart[message.Number] = true;
        _partsMissing--;
    }
}
