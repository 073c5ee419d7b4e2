using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace Geo.Storage.Sqlite.Tests;

/// <summary>
/// A process that increments counters in a store as fast as it can and prints every increment when it is acknowledged: the line
/// <c>counter number</c>. It ends after so many increments, or when it is killed.
/// </summary>
internal static class Hammer
{
    public const string Verb = "hammer";

    private const int Writers = 4;

    public static Process Start(string path, string name, int increments, int counters)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardOutput = true, RedirectStandardError = true };
        if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        {
            start.ArgumentList.Add(typeof(Hammer).Assembly.Location);
        }

        foreach (var argument in new[] { Verb, path, name, $"{increments}", $"{counters}" })
        {
            start.ArgumentList.Add(argument);
        }

        return Process.Start(start)!;
    }

    public static string Key(int counter) => $"counter/{counter}";

    public static int Number(ReadOnlyMemory<byte> value) =>
        value.IsEmpty ? 0 : int.Parse(Encoding.UTF8.GetString(value.Span).Split(' ')[0], CultureInfo.InvariantCulture);

    public static async Task<int> RunAsync(string[] args)
    {
        var (path, name) = (args[0], args[1]);
        var increments = int.Parse(args[2], CultureInfo.InvariantCulture);
        var counters = int.Parse(args[3], CultureInfo.InvariantCulture);
        await using var store = await SqliteConditionalStore.OpenAsync(
            new SqliteStoreOptions { Path = path, BusyTimeout = TimeSpan.FromSeconds(30) });
        var ended = await Task.WhenAll(Enumerable.Range(0, Writers).Select(
            writer => IncrementAsync(store, $"{name}{writer}", increments, counters)));
        return ended.All(e => e) ? 0 : 1;
    }

    private static async Task<bool> IncrementAsync(SqliteConditionalStore store, string writer, int increments, int counters)
    {
        for (var done = 0; done < increments;)
        {
            var counter = done % counters;
            var read = await store.ReadAsync(Key(counter));
            var next = Number(read.Value) + 1;
            var write = await store.WriteAsync(Key(counter), Encoding.UTF8.GetBytes($"{next} {writer}"), read.ETag);
            if (read.Outcome == StoreReadOutcome.Unknown || write.Outcome == StoreWriteOutcome.Unknown)
            {
                await Console.Error.WriteLineAsync($"unknown: {read.Reason}{write.Reason}");
                return false;
            }

            if (write.Outcome == StoreWriteOutcome.Applied)
            {
                done++;
                Console.WriteLine($"{counter} {next}");
            }
        }

        return true;
    }
}
