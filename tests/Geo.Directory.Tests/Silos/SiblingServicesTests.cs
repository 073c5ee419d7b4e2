namespace Geo.Directory.Tests;

public class SiblingServicesTests
{
    [Fact]
    public async Task A_question_for_a_service_that_is_not_there_has_no_answer_and_an_empty_answer_is_one()
    {
        var services = new SiblingServices();
        Assert.Null(await services.AnswerAsync("geo.test", default, CancellationToken.None));

        var registered = services.Handle("geo.test", (_, _) => default);
        Assert.Equal(0, (await services.AnswerAsync("geo.test", default, CancellationToken.None))!.Value.Length);

        registered.Dispose();
        Assert.Null(await services.AnswerAsync("geo.test", default, CancellationToken.None));
    }
}
