using BenchmarkDotNet.Running;

// --filter '*' runs all; --job Dry runs each once, to see that it works; --job Short gives a figure within a minute.
BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args);
