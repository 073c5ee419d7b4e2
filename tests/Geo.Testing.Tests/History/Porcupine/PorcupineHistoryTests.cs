namespace Geo.Testing.Tests;

public class PorcupineHistoryTests
{
    private static readonly int[] LinearizableRegisters =
        [2, 5, 7, 18, 25, 31, 38, 45, 48, 49, 51, 53, 56, 67, 75, 76, 80, 87, 92, 98, 100, 101, 102];

    [Theory]
    [InlineData("a-b-", HistoryOutcome.Holds)]
    [InlineData("b-", HistoryOutcome.Violated)]
    public void A_key_value_history_is_read_and_checked_by_key(string seen, HistoryOutcome expected)
    {
        var history = Read($$"""
            {:process 0, :type :invoke, :f :put, :key "1", :value "a-"}
            {:process 1, :type :invoke, :f :append, :key "2", :value "x \"1\" y"}
            {:process 0, :type :ok, :f :put, :key "1", :value "a-"}
            {:process 0, :type :invoke, :f :append, :key "1", :value "b-"}
            {:process 2, :type :invoke, :f :get, :key "1", :value nil}
            {:process 0, :type :ok, :f :append, :key "1", :value "b-"}
            {:process 2, :type :ok, :f :get, :key "1", :value "{{seen}}"}
            """);
        Assert.Equal(4, history.Operations.Count);
        Assert.Equal("2", history.Operations.Single(o => o.ReturnedAt is null).Key);
        Assert.Equal(expected, LinearizabilityChecker.Check(history, RegisterCall.Model).Outcome);
    }

    [Theory]
    [InlineData("7", HistoryOutcome.Holds)]
    [InlineData("4", HistoryOutcome.Holds)]
    [InlineData("nil", HistoryOutcome.Violated)]
    public void A_register_history_is_read_with_time_outs_left_open(string seen, HistoryOutcome expected)
    {
        var history = Read($"""
            INFO  jepsen.util - 0	:invoke	:read	nil
            INFO  jepsen.util - 0	:ok	:read	nil
            INFO  jepsen.util - 1	:invoke	:write	3
            INFO  jepsen.util - 1	:ok	:write	3
            INFO  jepsen.util - 2	:invoke	:write	7
            INFO  jepsen.util - 2	:info	:write	:timed-out
            INFO  jepsen.util - 3	:invoke	:cas	[3 4]
            INFO  jepsen.util - 3	:ok	:cas	[3 4]
            INFO  jepsen.util - 4	:invoke	:cas	[3 5]
            INFO  jepsen.util - 4	:fail	:cas	[3 5]
            INFO  jepsen.util - 5	:invoke	:read	nil
            INFO  jepsen.util - 5	:fail	:read	:timed-out
            INFO  jepsen.util - 0	:invoke	:read	nil
            INFO  jepsen.util - 0	:ok	:read	{seen}
            """);
        Assert.Equal(6, history.Operations.Count);
        Assert.Equal(expected, LinearizabilityChecker.Check(history, RegisterCall.Model).Outcome);
    }

    [Theory]
    [InlineData("once upon a time")]
    [InlineData("INFO jepsen.util - 0 :ok :read nil")]
    public void A_line_that_is_no_event_is_refused_with_its_number(string line)
    {
        var refused = Assert.Throws<FormatException>(() => Read($"{Environment.NewLine}{line}"));
        Assert.Contains("Line 2 ", refused.Message, StringComparison.Ordinal);
    }

    /// <summary>
    /// The published histories: <c>GEO_PORCUPINE</c> names the folder <c>test_data</c> of github.com/anishathalye/porcupine.
    /// </summary>
    [Fact(Explicit = true)]
    public void The_published_histories_end_as_published()
    {
        var folder = Environment.GetEnvironmentVariable("GEO_PORCUPINE") ?? throw new InvalidOperationException("Set GEO_PORCUPINE.");
        foreach (var file in System.IO.Directory.EnumerateFiles(folder, "*_*", SearchOption.AllDirectories)
            .Concat(System.IO.Directory.EnumerateFiles(folder, "*-*", SearchOption.AllDirectories)))
        {
            var name = Path.GetFileNameWithoutExtension(file);
            if (name == "etcd_095")
            {
                continue; // It is empty: the cluster did not start.
            }

            var holds = name.EndsWith("-ok", StringComparison.Ordinal)
                || LinearizableRegisters.Any(n => name.EndsWith($"_{n:000}", StringComparison.Ordinal));
            using var lines = File.OpenText(file);
            var verdict = LinearizabilityChecker.Check(PorcupineHistory.Read(lines), RegisterCall.Model);
            Assert.True(verdict.Outcome == (holds ? HistoryOutcome.Holds : HistoryOutcome.Violated), $"{name}: {verdict.Outcome}");
        }
    }

    private static History<RegisterCall, string> Read(string lines) => PorcupineHistory.Read(new StringReader(lines));
}
