using BenchmarkDotNet.Running;
using Spate.Benchmarks;

// `soak` is a run of its own: it counts bytes over many datagrams and takes no part in BenchmarkDotNet's timing.
if (args is ["soak", .. var rest])
{
    string way = rest.Length > 0 ? rest[0] : "batches";
    string count = rest.Length > 1 ? rest[1] : "100000000";
    bool isKnown = way is "batches" or "await" or "plain";
    if (!isKnown || !long.TryParse(count, out long datagramCount) || datagramCount < 1)
    {
        Console.Error.WriteLine("soak takes a way (batches, await or plain) and a number of datagrams.");
        return 2;
    }

    await SoakRun.RunAsync(way, datagramCount);
    return 0;
}

// So is `stamps`, which only listens: the sender that it judges is another process.
if (args is ["stamps", .. var wanted])
{
    if (wanted.Length != 3 || !int.TryParse(wanted[0], out int port) || !double.TryParse(wanted[1], out double seconds)
        || !double.TryParse(wanted[2], out double rate))
    {
        Console.Error.WriteLine("stamps takes a port, seconds and a rate in datagrams a second.");
        return 2;
    }

    StampRun.Run(port, seconds, rate);
    return 0;
}

// So is `pack`, which needs a thread of its own server.
if (args is ["pack", .. var numbers])
{
    string size = numbers.Length > 0 ? numbers[0] : "200";
    string pairs = numbers.Length > 1 ? numbers[1] : "40";
    if (!int.TryParse(size, out int payloadBytes) || payloadBytes is < 1 or > 1400
        || !int.TryParse(pairs, out int pairCount) || pairCount < 1)
    {
        Console.Error.WriteLine("pack takes payload bytes (1 to 1400) and a number of pairs.");
        return 2;
    }

    await PackRun.RunAsync(payloadBytes, pairCount);
    return 0;
}

// So is `replies`, which times only a part of its work.
if (args is ["replies", .. var shape])
{
    if (shape.Length != 3 || !int.TryParse(shape[0], out int replyBytes) || replyBytes is < 0 or > 1472
        || !int.TryParse(shape[1], out int peerCount) || peerCount is < 1 or > 256
        || !int.TryParse(shape[2], out int roundCount) || roundCount < 1)
    {
        Console.Error.WriteLine("replies takes payload bytes (0 to 1472), peers (1 to 256) and rounds.");
        return 2;
    }

    ReplyRun.Run(replyBytes, peerCount, roundCount);
    return 0;
}

BenchmarkSwitcher.FromAssembly(typeof(SoakRun).Assembly).Run(args);
return 0;
