namespace Geo.Abstractions.Tests.Waits;

public sealed class BackOffTests
{
    private static readonly TimeSpan First = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan Maximum = TimeSpan.FromMilliseconds(100);

    [Theory]
    [InlineData(1, 5)]
    [InlineData(2, 10)]
    [InlineData(5, 80)]
    [InlineData(6, 100)]
    [InlineData(int.MaxValue, 100)]
    public void A_wait_doubles_up_to_its_bound(int times, int milliseconds)
    {
        var whole = TimeSpan.FromMilliseconds(milliseconds);
        var random = new Random(1);

        Assert.Equal(whole, BackOff.Doubled(times, First, Maximum));
        for (var draw = 0; draw < 1000; draw++)
        {
            Assert.InRange(BackOff.AfterFailures(times, First, Maximum, random), whole / 2, whole);
            Assert.InRange(BackOff.AfterConflicts(times, First, Maximum, random), TimeSpan.Zero, whole);
            Assert.InRange(BackOff.For(whole, random), whole / 2, whole * 1.5);
        }
    }

    [Fact]
    public void Nothing_else_draws_how_long_it_waits_to_try_again()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "Geo.sln")))
        {
            folder = Path.GetDirectoryName(folder)!;
        }

        // The periods of looks and of sweeps are drawn too, so that not all look at once: none is longer because something has failed.
        string[] periods = ["Draws.cs", "HyParViewUpkeep.cs", "PeriodicSweep.cs"];
        var drawing = System.IO.Directory.GetFiles(Path.Combine(folder, "src"), "*.cs", SearchOption.AllDirectories)
            .Where(file => !file.Split(Path.DirectorySeparatorChar).Any(part => part is "obj" or "Geo.Testing"))
            .Where(file => File.ReadAllText(file) is var text
                && (text.Contains("NextDouble()", StringComparison.Ordinal) || text.Contains("Math.Pow(2,", StringComparison.Ordinal)))
            .Select(Path.GetFileName).ToArray();

        Assert.Contains("BackOff.cs", drawing);
        Assert.Empty(drawing.Except(["BackOff.cs", .. periods]));
    }
}
