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

BenchmarkSwitcher.FromAssembly(typeof(SoakRun).Assembly).Run(args);
return 0;
