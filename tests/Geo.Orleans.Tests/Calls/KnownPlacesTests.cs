namespace Geo.Orleans.Tests.Calls;

public sealed class KnownPlacesTests
{
    private static readonly ClusterId Eu = new("eu");

    [Fact]
    public void Beyond_the_limit_all_are_forgotten_and_not_before()
    {
        var places = new KnownPlaces<ClusterId>(3);
        Remember(places, 0, 3);
        Assert.Equal(3, Known(places, 3));

        places.Remember(Grain(3), Eu);

        Assert.Equal(0, Known(places, 4));
        Assert.False(places.Knows(Grain(0)));
    }

    [Fact]
    public void As_many_as_the_limit_are_known_whatever_threads_did_before()
    {
        const int Limit = 4;
        for (var run = 0; run < 200; run++)
        {
            var places = new KnownPlaces<ClusterId>(Limit);
            Parallel.For(0, 8, new ParallelOptions { MaxDegreeOfParallelism = 8 }, thread =>
            {
                for (var i = 0; i < 200; i++)
                {
                    places.Remember(Grain((thread * 3) + (i % 5)), Eu);
                    places.Forget(Grain((thread * 3) + ((i + 2) % 5)));
                    places.Forget(Grain(thread + (i % 7)), Eu);
                }
            });

            for (var i = 0; i < 100; i++)
            {
                places.Forget(Grain(i));
            }

            // A count that had drifted forgets too early, keeps too many, or says that none is known.
            Remember(places, 0, Limit);
            Assert.Equal(Limit, Known(places, Limit));
            Assert.True(places.Knows(Grain(0)));
            places.Remember(Grain(Limit), Eu);
            Assert.Equal(0, Known(places, Limit + 1));
        }
    }

    private static void Remember(KnownPlaces<ClusterId> places, int from, int to)
    {
        for (var i = from; i < to; i++)
        {
            places.Remember(Grain(i), Eu);
        }
    }

    private static int Known(KnownPlaces<ClusterId> places, int of) => Enumerable.Range(0, of).Count(i => places.TryGet(Grain(i), out _));

    private static GrainId Grain(int i) => GrainId.Create("cart", $"{i}");
}
