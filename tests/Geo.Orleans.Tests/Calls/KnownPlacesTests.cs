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
    public void Places_stay_counted_whatever_two_threads_do_at_once()
    {
        const int Rounds = 30_000;
        var places = new KnownPlaces<ClusterId>(1);
        var (begun, ended) = (0, 0);
        var other = new Thread(() =>
        {
            for (var round = 1; round <= Rounds; round++)
            {
                SpinWait.SpinUntil(() => Volatile.Read(ref begun) >= round);
                places.Remember(Grain(1), Eu);
                places.Remember(Grain(2), Eu);
                places.Forget(Grain(1));
                Volatile.Write(ref ended, round);
            }
        });
        other.Start();
        var wrong = 0;
        for (var round = 1; round <= Rounds; round++)
        {
            Volatile.Write(ref begun, round);
            places.Remember(Grain(0), Eu);
            places.Forget(Grain(0), Eu);
            SpinWait.SpinUntil(() => Volatile.Read(ref ended) >= round);

            // With a count that has drifted the one place that there is room for is forgotten at once, or not found.
            for (var i = 0; i < 3; i++)
            {
                places.Forget(Grain(i));
            }

            places.Remember(Grain(3), Eu);
            wrong += places.Knows(Grain(3)) ? 0 : 1;
            places.Forget(Grain(3));
        }

        other.Join();
        Assert.Equal(0, wrong);
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
