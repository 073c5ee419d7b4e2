using System.Diagnostics;
using System.Text.Json;
using Geo.Processes;

namespace Geo.Experiments.Simulation;

/// <summary>Searches seeds in several processes, and stops all of them at the first failure.</summary>
/// <param name="processes">How many processes search.</param>
/// <param name="work">What they search; each gets its share.</param>
/// <param name="progress">Told of the sums, now and then.</param>
internal sealed class SeedSearch(int processes, ShardWork work, Action<SearchProgress> progress) : IDisposable
{
    // Seeds a process.
    private const int LongSearch = 4_000;

    private static readonly TimeSpan ProgressEvery = TimeSpan.FromSeconds(5);

    private readonly Dictionary<int, string> _hashes = [];
    private readonly Lock _lock = new();
    private readonly Stopwatch _elapsed = Stopwatch.StartNew();
    private readonly CancellationTokenSource _stop = new();
    private TimeSpan _told;
    private ShardLine _sum = new();
    private int _repeated;

    /// <summary>What failed first; null when nothing did.</summary>
    public string? Failure { get; private set; }

    /// <summary>How far the search has come.</summary>
    public SearchProgress Progress => new(_sum, work.Seeds, _repeated, _elapsed.Elapsed);

    /// <summary>Searches to the end, or to the first failure.</summary>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        await using var cancelled = cancellationToken.Register(_stop.Cancel);
        await Task.WhenAll(Enumerable.Range(0, processes).Select(index => RunShardAsync(work with { Index = index, Of = processes })));
        cancellationToken.ThrowIfCancellationRequested();
    }

    public void Dispose() => _stop.Dispose();

    private async Task RunShardAsync(ShardWork shard)
    {
        var start = ProgramStart.Of(typeof(ShardRole).Assembly, ShardRole.Name, JsonSerializer.Serialize(shard));

        // A short search is over sooner without measuring for the JIT and without writing through second mappings; a long one gains by
        // what is measured.
        start.Environment["DOTNET_TieredPGO"] = shard.Seeds < LongSearch * shard.Of ? "0" : "1";
        start.Environment["DOTNET_EnableWriteXorExecute"] = "0";
        (start.RedirectStandardOutput, start.RedirectStandardError) = (true, true);
        using var process = Process.Start(start) ?? throw new ChildFailedException($"Process {shard.Index} of the search did not start.");
        var errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
        try
        {
            while (await process.StandardOutput.ReadLineAsync(_stop.Token) is { } line)
            {
                Take(JsonSerializer.Deserialize<ShardLine>(line)!);
            }

            await process.WaitForExitAsync(_stop.Token);
            if (process.ExitCode != 0)
            {
                Fail($"Process {shard.Index} of the search ended with {process.ExitCode}. {await errors}");
            }
        }
        catch (OperationCanceledException)
        {
            process.Kill();
        }
    }

    private void Take(ShardLine line)
    {
        lock (_lock)
        {
            _sum = _sum.With(line);
            if (line is { Repeated: { } seed, Hash: { } hash })
            {
                Compare(seed, hash);
            }

            if (_elapsed.Elapsed - _told >= ProgressEvery)
            {
                _told = _elapsed.Elapsed;
                progress(Progress);
            }
        }

        if (line.Failed is { } failed)
        {
            Fail(failed);
        }
    }

    private void Compare(int seed, string hash)
    {
        if (!_hashes.Remove(seed, out var other))
        {
            _hashes[seed] = hash;
        }
        else if (other == hash)
        {
            _repeated++;
        }
        else
        {
            Fail($"Seed {seed} is not deterministic: two runs had different traces ({other} and {hash}). Again: {work.CommandOf(seed)}");
        }
    }

    private void Fail(string what)
    {
        lock (_lock)
        {
            Failure ??= what;
        }

        _stop.Cancel();
    }
}
