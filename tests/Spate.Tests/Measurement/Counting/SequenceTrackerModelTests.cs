using Spate.Measurement.Counting;

namespace Spate.Tests.Measurement.Counting;

/// <summary>The tracker against a model that remembers every arrival, on random networks.</summary>
public sealed class SequenceTrackerModelTests
{
    [Fact]
    public void Add_RandomLossDuplicationAndReordering_AgreesWithTheModel()
    {
        Random random = RandomCase.Create();
        SequenceTracker[] trackers = [.. Enumerable.Range(0, 5).Select(i => new SequenceTracker(64 << i))];
        for (int round = 0; round < 300; round++)
        {
            int window = 64 << (round % 5);
            SequenceTracker tracker = trackers[round % 5];
            tracker.Reset();
            var model = new ReferenceTracker(window);
            if (random.Next(3) == 0)
            {
                long first = random.Next(2) == 0 ? 0 : random.Next(3 * window);
                tracker.Begin(first);
                model.Begin(first);
                foreach (long sequence in Network(random, window)) Add(tracker, model, first + sequence);
            }
            else
            {
                foreach (long sequence in Network(random, window)) Add(tracker, model, sequence);
            }

            AssertEqual(model, tracker);
            long total = Math.Max(0, model.End + random.Next(-5, 3 * window));
            tracker.End(total);
            model.Announce(total);
            AssertEqual(model, tracker);

            void Add(SequenceTracker tracker, ReferenceTracker model, long sequence)
            {
                tracker.Add(sequence);
                model.Add(sequence);
                if (random.Next(2048) == 0) AssertEqual(model, tracker);
            }
        }
    }

    /// <summary>Loss alone is no reordering, whether datagrams come one by one or in runs.</summary>
    [Fact]
    public void Counts_PathThatOnlyLoses_HaveNoReordering()
    {
        Random random = RandomCase.Create();
        for (int round = 0; round < 100; round++)
        {
            var tracker = new SequenceTracker(64 << random.Next(5));
            long sent = 0;
            long arrived = 0;
            for (int call = 0; call < 500; call++)
            {
                // Gaps are sometimes longer than the window.
                int lost = random.Next(4) == 0 ? random.Next(1, random.Next(20) == 0 ? 5000 : 4) : 0;
                int count = random.Next(1, 80);
                if (count == 1) tracker.Add(sent + lost);
                else tracker.AddRun(sent + lost, count);
                sent += lost + count;
                arrived += count;
            }

            tracker.End(sent);
            Assert.Equal((0, 0, 0), (tracker.Counts.Reordered, tracker.Counts.Duplicated, tracker.Counts.Late));
            Assert.Equal(arrived, tracker.Counts.Unique);
            Assert.Equal(0, tracker.Lengths.ReorderExtents.Count);
        }
    }

    /// <summary>
    /// The other way round: what a simulated path did is known, and with the announced total it is exact.
    /// </summary>
    [Fact]
    public void Counts_PathThatStaysInTheWindow_AreWhatThePathDid()
    {
        Random random = RandomCase.Create();
        for (int round = 0; round < 100; round++)
        {
            const int Sent = 3000;
            var tracker = new SequenceTracker(1024);
            var arrivals = new List<(double Time, long Sequence)> { (-1, 0) };
            long lost = 0;
            long duplicated = 0;
            for (long sequence = 1; sequence < Sent; sequence++)
            {
                int copies = random.Next(10) switch { 0 => 0, 1 => 2, _ => 1 };
                lost += copies == 0 ? 1 : 0;
                duplicated += copies == 2 ? 1 : 0;
                for (int copy = 0; copy < copies; copy++)
                {
                    arrivals.Add((sequence + (random.NextDouble() * 500), sequence));
                }
            }

            foreach ((_, long sequence) in arrivals.OrderBy(static arrival => arrival.Time))
            {
                tracker.Add(sequence);
            }

            tracker.End(Sent);
            SequenceCounts counts = tracker.Counts;
            Assert.Equal(lost, counts.Lost);
            Assert.Equal(duplicated, counts.Duplicated);
            Assert.Equal(0, counts.Late);
            Assert.Equal(Sent, counts.Unique + counts.Lost + counts.MissedBeforeFirst);
            Assert.Equal(counts.Received, counts.Unique + counts.Duplicated);
        }
    }

    private static void AssertEqual(ReferenceTracker model, SequenceTracker tracker)
    {
        Assert.Equal(model.Counts, tracker.Counts);
        model.AssertEqual(tracker.Lengths);
    }

    /// <summary>Arrivals with runs, gaps up to several windows, copies and delays around the window's edge.</summary>
    private static IEnumerable<long> Network(Random random, int window)
    {
        long next = random.Next(2) == 0 ? 0 : random.Next(3 * window);
        for (int step = random.Next(1, 400); step > 0; step--)
        {
            switch (random.Next(8))
            {
                case 0:
                    next += random.Next(1, 2 + (window / 4));
                    break;
                case 1 when random.Next(8) == 0:
                    next += random.Next(window - 2, 3 * window);
                    break;
                case 2 or 3:
                    yield return Math.Max(0, next - random.Next(1, 10));
                    break;
                case 4:
                    yield return Math.Max(0, next - random.Next(window - 3, window + 3));
                    break;
                case 5:
                    yield return Math.Max(0, next - random.Next(2 * window));
                    break;
                default:
                    for (int run = random.Next(1, 100); run > 0; run--)
                    {
                        yield return next++;
                    }

                    break;
            }
        }
    }
}
