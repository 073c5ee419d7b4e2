using System.Diagnostics;
using System.Globalization;

namespace TpcwMini.Tests.EndToEnd;

public sealed class OrphanTests
{
    [Fact]
    public async Task When_the_parent_is_killed_its_processes_end_too()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "children are found in /proc");
        using var folder = new WorkFolder();
        using var sample = SampleProcess.Start(folder, [.. SmallLoad.Options, "--seconds", "60"]);
        List<int> children = [];
        await UntilAsync(() => (children = ChildrenOf(sample.Process.Id)).Count == 3);

        sample.Process.Kill();

        await UntilAsync(() => children.All(IsGone));
        Assert.All(children, child => Assert.True(IsGone(child)));
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        var deadline = Stopwatch.StartNew();
        while (!condition())
        {
            Assert.True(deadline.Elapsed < TimeSpan.FromSeconds(60), "the condition did not come true in a minute");
            await Task.Delay(50, TestContext.Current.CancellationToken);
        }
    }

    private static List<int> ChildrenOf(int parent) =>
    [
        .. Directory.GetDirectories("/proc")
            .Select(Path.GetFileName)
            .Where(
                name => int.TryParse(name, out var id) && StatOf(id) is { } stat
                    && stat[1] == parent.ToString(CultureInfo.InvariantCulture))
            .Select(name => int.Parse(name!, CultureInfo.InvariantCulture)),
    ];

    private static bool IsGone(int id) => StatOf(id) is not { } stat || stat[0] is "Z" or "X";

    /// <summary>What follows the process's name in its stat file: state, parent and so on; null when the process is gone.</summary>
    private static string[]? StatOf(int id)
    {
        try
        {
            var text = File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/stat"));
            return text[(text.LastIndexOf(')') + 2)..].Split(' ');
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
