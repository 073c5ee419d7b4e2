namespace Geo.Orleans.Tests.Grains;

public interface IStrictSpot : IGrainWithStringKey
{
    Task<string> Where();
}
