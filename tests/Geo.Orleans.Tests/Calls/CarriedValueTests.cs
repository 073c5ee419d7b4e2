using Geo.Orleans.Tests.Clusters;
using Geo.Orleans.Tests.Grains;
using Orleans.Serialization;

namespace Geo.Orleans.Tests.Calls;

/// <summary>What calls from "us" to a generic grain in "eu" can carry, and what they cannot.</summary>
public sealed class CarriedValueTests(TwoClusters two) : IClassFixture<TwoClusters>
{
    private const int TooMuch = 33 * 1024 * 1024;

    [Fact]
    public async Task Generic_grains_are_called_across_clusters_by_their_type_arguments()
    {
        var numbers = await PlaceInEuAsync<int>("generic");
        var texts = await PlaceInEuAsync<Dictionary<string, int>>("generic");

        Assert.Equal("eu", await numbers.Put(7));
        Assert.Equal("eu", await texts.Put(new() { ["a"] = 1 }));

        Assert.Equal(7, await numbers.Take());
        Assert.Equal(1, (await texts.Take())["a"]);
    }

    [Fact]
    public async Task Large_arguments_and_answers_arrive_whole()
    {
        var box = await PlaceInEuAsync<int>("large");
        const int large = 5 * 1024 * 1024;

        Assert.Equal(large, await box.Measure(new byte[large]));
        Assert.Equal(large, (await box.Fill(large)).Length);
    }

    [Fact]
    public async Task Arguments_beyond_the_limit_are_refused_by_name_before_they_leave()
    {
        var box = await PlaceInEuAsync<int>("too-large");
        await box.Put(1);

        var error = await Assert.ThrowsAsync<GeoSerializationException>(() => box.Measure(new byte[TooMuch]));

        Assert.Contains("did not run", error.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(GeoOrleansOptions.MaxCallBytes), error.Message, StringComparison.Ordinal);
        Assert.Equal("eu", await box.Put(2));
    }

    [Fact]
    public async Task An_answer_beyond_the_limit_says_that_the_call_ran()
    {
        var box = await PlaceInEuAsync<int>("too-large-answer");

        var error = await Assert.ThrowsAsync<GeoSerializationException>(() => box.Fill(TooMuch));

        Assert.Contains("ran, but its answer", error.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(GeoOrleansOptions.MaxCallBytes), error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_exception_that_cannot_be_serialized_arrives_with_its_type_and_message_in_words()
    {
        var box = await PlaceInEuAsync<int>("unknown-exception");

        var error = await Assert.ThrowsAsync<GeoSerializationException>(box.ThrowUnknown);

        Assert.Contains("only this grain knows me", error.Message, StringComparison.Ordinal);
        Assert.Contains("UnknownException", error.Message, StringComparison.Ordinal);
        Assert.Equal("eu", await box.Put(1));
    }

    [Fact]
    public async Task An_answer_that_cannot_be_serialized_fails_the_call_as_it_does_within_a_cluster()
    {
        var box = await PlaceInEuAsync<int>("unwritable");

        await Assert.ThrowsAsync<CodecNotFoundException>(box.Unwritable);
        Assert.Equal("eu", await box.Put(1));
    }

    private async Task<IBox<T>> PlaceInEuAsync<T>(string key)
    {
        await two.Clusters.Grains("eu").GetGrain<IBox<T>>(key).Take();
        return two.Clusters.Grains("us").GetGrain<IBox<T>>(key);
    }
}
