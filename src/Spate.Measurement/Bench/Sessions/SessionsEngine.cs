using System.Diagnostics;
using System.Net.Sockets;
using Spate.Measurement.Bench.Batched;

namespace Spate.Measurement.Bench.Sessions;

/// <summary>Interleaved rounds of filling a socket and draining it with lookups, all on the calling thread.</summary>
internal sealed class SessionsEngine(SessionsOptions options, int? cpu)
{
    // Draws must not differ between runs that are compared.
    private const int Seed = 20_260_901;

    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private readonly Random _random = new(Seed);

    public SessionsResult Execute(IProgress<BenchStep>? progress, CancellationToken cancellationToken)
    {
        SpateRow row = new[] { SpateRow.MmsgTrains, SpateRow.Mmsg, SpateRow.Portable }
            .First(static row => row.UnavailableReason is null);
        int[] peerCounts = [1, .. options.PeerCounts.Where(static count => count != 1).Distinct()];
        PeerSet[] sets = [.. peerCounts.Select(static count => new PeerSet(count))];
        List<SessionsSocket> sockets = [];
        try
        {
            foreach (int sizeBytes in options.SizesBytes)
            {
                sockets.Add(new SessionsSocket(row, sizeBytes, options.DatagramCount));
            }
            SessionsCell[][] groups = [.. sockets.Select(socket => CellsOf(socket, sets))];
            int roundCount = RunRounds([.. groups.SelectMany(static cells => cells)], progress, cancellationToken);
            PeerSet largest = sets.MaxBy(static set => set.Count)!;
            return new SessionsResult
            {
                Rows = [.. groups.SelectMany(static cells => cells.Skip(1).Select(
                    cell => cell.ToRow(bare: cells[0], one: cells[1])))],
                Aging = AgingProbe.Measure(largest.Peers, cancellationToken),
                RoundCount = roundCount,
                DatagramCounts = [.. sockets.Select(static socket => socket.DatagramCount)],
                SocketRow = row.Name,
                UsesTrains = row.UsesTrains,
                Backend = row.Backend,
                Demotions = sockets.Sum(static socket => socket.Demotions),
                BufferGrantedBytes = sockets.Max(static socket => socket.BufferGrantedBytes),
                Cpu = cpu,
                TotalSeconds = _watch.Elapsed.TotalSeconds,
            };
        }
        catch (SocketException e)
        {
            throw new BenchException($"The sockets of {row.Name} failed: {BenchText.OneLine(e.Message)}", e);
        }
        finally
        {
            sockets.ForEach(static socket => socket.Dispose());
        }
    }

    /// <summary>Without a table, one peer, then each number of peers in both patterns; one cannot scatter.</summary>
    private static SessionsCell[] CellsOf(SessionsSocket socket, PeerSet[] sets) =>
    [
        new(socket, peers: null, SessionsCell.RunsShift),
        .. sets.SelectMany(set => set.Count == 1
            ? new[] { SessionsCell.RunsShift }
            : [SessionsCell.RunsShift, SessionsCell.ScatteredShift],
            (set, runShift) => new SessionsCell(socket, set, runShift)),
    ];

    private int RunRounds(SessionsCell[] cells, IProgress<BenchStep>? progress, CancellationToken cancellationToken)
    {
        TimeSpan lastPass = TimeSpan.Zero;
        int stepIndex = 0;
        for (int round = 0; round <= options.RoundCount; round++)
        {
            TimeSpan before = _watch.Elapsed;
            if (round > 1 && before + lastPass > options.Budget)
            {
                return round - 1;
            }
            foreach (int index in BenchPlan.Order(round, cells.Length))
            {
                cancellationToken.ThrowIfCancellationRequested();
                SessionsCell cell = cells[index];
                int stepCount = cells.Length * (options.RoundCount + 1);
                progress?.Report(new BenchStep(
                    cell.Name, cell.Socket.SizeBytes, round, options.RoundCount, stepIndex++, stepCount));
                cell.Measure(isWarmUp: round == 0, _random);
            }
            lastPass = _watch.Elapsed - before;
        }
        return options.RoundCount;
    }
}
