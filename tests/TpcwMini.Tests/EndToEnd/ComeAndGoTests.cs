namespace TpcwMini.Tests.EndToEnd;

public sealed class ComeAndGoTests
{
    [Fact]
    public Task One_region_takes_the_place_of_another_and_no_call_fails() => LiveRun.AssertAsync(drained: "eu");
}
