using System.Diagnostics;
using System.Globalization;

namespace Geo.Storage.Sqlite.Tests;

public sealed class SeveralProcessesTests
{
    private const int Counters = 3;

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Increments_of_three_processes_are_all_counted()
    {
        await using var file = new StoreFile();
        using var one = Hammer.Start(file.Path, "one", 30, Counters);
        using var two = Hammer.Start(file.Path, "two", 30, Counters);
        using var three = Hammer.Start(file.Path, "three", 30, Counters);

        var acknowledged = (await Task.WhenAll(EndAsync(one), EndAsync(two), EndAsync(three))).SelectMany(lines => lines).ToList();

        Assert.Equal((0, 0, 0), (one.ExitCode, two.ExitCode, three.ExitCode));
        Assert.Equal(3 * 4 * 30, acknowledged.Count);
        Assert.Distinct(acknowledged);
        var store = await file.OpenAsync();
        for (var counter = 0; counter < Counters; counter++)
        {
            var number = Hammer.Number((await store.ReadAsync(Hammer.Key(counter), Stop)).Value);
            Assert.Equal(acknowledged.Count(a => a.Counter == counter), number);
        }

        Assert.Equal("ok", await Sqlite3.IntegrityAsync(file.Path));
    }

    [Fact]
    public async Task A_process_killed_in_the_middle_loses_no_acknowledged_write_and_stops_no_other()
    {
        await using var file = new StoreFile();
        using var survivor = Hammer.Start(file.Path, "survivor", 60, Counters);
        using var victim = Hammer.Start(file.Path, "victim", int.MaxValue, Counters);
        var survivorsLines = EndAsync(survivor);

        var victimsLines = new List<(int Counter, int Number)>();
        while (victimsLines.Count < 40)
        {
            victimsLines.Add(Parse(await victim.StandardOutput.ReadLineAsync(Stop)));
        }

        victim.Kill();
        while (await victim.StandardOutput.ReadLineAsync(Stop) is { } line)
        {
            // Whole lines only: each was given to the pipe in one piece.
            victimsLines.Add(Parse(line));
        }

        var acknowledged = victimsLines.Concat(await survivorsLines).ToList();

        Assert.Equal(0, survivor.ExitCode);
        Assert.Distinct(acknowledged);
        Assert.Equal("ok", await Sqlite3.IntegrityAsync(file.Path));
        var store = await file.OpenAsync();
        var total = 0;
        for (var counter = 0; counter < Counters; counter++)
        {
            var number = Hammer.Number((await store.ReadAsync(Hammer.Key(counter), Stop)).Value);
            var highest = acknowledged.Where(a => a.Counter == counter).Max(a => a.Number);
            Assert.True(number >= highest, $"counter {counter} stands at {number}, and {highest} was acknowledged");
            total += number;
        }

        // Each of the victim's four writers may have had one increment applied that it could not tell of any more.
        Assert.InRange(total - acknowledged.Count, 0, 4);
    }

    private static async Task<List<(int Counter, int Number)>> EndAsync(Process process)
    {
        var errors = process.StandardError.ReadToEndAsync(Stop);
        var output = await process.StandardOutput.ReadToEndAsync(Stop);
        await process.WaitForExitAsync(Stop);
        Assert.Equal("", await errors);
        return [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(Parse)];
    }

    private static (int Counter, int Number) Parse(string? line)
    {
        var parts = line?.Split(' ') ?? throw new InvalidOperationException("The process ended before it was killed.");
        return (int.Parse(parts[0], CultureInfo.InvariantCulture), int.Parse(parts[1], CultureInfo.InvariantCulture));
    }
}
