namespace TpcwMini.Tests.EndToEnd;

internal sealed record SampleOutcome(int ExitCode, string Output, string Error)
{
    public void AssertPassed() => Assert.True(ExitCode == 0, $"exit code {ExitCode}\n{Output}\n{Error}");

    public void AssertRefused(params string[] says)
    {
        Assert.True(ExitCode == 2, $"exit code {ExitCode}\n{Output}\n{Error}");
        var line = Assert.Single(Error.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        Assert.StartsWith("tpcw-mini: ", line);
        Assert.All(says, said => Assert.Contains(said, line));
        Assert.DoesNotContain("   at ", Output + Error);
    }
}
