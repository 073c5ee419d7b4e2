using BenchmarkDotNet.Running;

// For example: dotnet run -c Release --project benchmarks/Geo.Benchmarks -- --filter '*Queue*' --job short
BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(args);
