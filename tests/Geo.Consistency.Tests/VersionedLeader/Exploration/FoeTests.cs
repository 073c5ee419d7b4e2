namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

public sealed class FoeTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData("ab", 4, 90, 0)]
    [InlineData("ab", 4, 90, 15)]
    [InlineData("ab", 4, 90, 40)]
    [InlineData("ab,abc,ac", 5, 120, 0)]
    [InlineData("abc,ab", 5, 120, 0)]
    [InlineData("ab,a", 5, 100, 0)]
    [InlineData("abc", 6, 120, 40)]
    public void Search(string configurations, int losses, int steps, int skew)
    {
        var setting = new ExploredSetting("foe", UpdateConfirmation.Leader, configurations.Split(','), losses, steps)
        {
            IsLostWhole = true,
            Skew = skew,
        };
        var clock = System.Diagnostics.Stopwatch.StartNew();
        var seed = 1;
        for (; clock.Elapsed < TimeSpan.FromSeconds(25); seed++)
        {
            try
            {
                new ExploredWorld(setting, seed).Run();
            }
            catch (ExplorationException e)
            {
                Assert.Fail($"{configurations} skew {skew}: seed {seed}: {e.Message}");
            }
        }

        output.WriteLine($"{configurations} skew {skew}: none in {seed}");
    }
}
