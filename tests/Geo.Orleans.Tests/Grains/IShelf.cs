using Orleans.Concurrency;

namespace Geo.Orleans.Tests.Grains;

/// <summary>A coordination-free grain that has replicas in two clusters only.</summary>
public interface IShelf : IGrainWithStringKey
{
    Task Put(string item);

    [OneWay]
    Task PutSoon(string item);

    Task KnownIn(int clusters);

    Task<string> Show();

    Task<string> Where();

    Task<string> ShowInSession();
}
