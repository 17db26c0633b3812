using BenchmarkDotNet.Running;
using Spate.Benchmarks;

// `soak` is a run of its own: it counts bytes over many datagrams and takes no part in BenchmarkDotNet's timing.
if (args is ["soak", .. var rest])
{
    string way = rest.Length > 0 ? rest[0] : "batches";
    await SoakRun.RunAsync(way, rest.Length > 1 ? long.Parse(rest[1]) : 100_000_000);
    return;
}

BenchmarkSwitcher.FromAssembly(typeof(SoakRun).Assembly).Run(args);
