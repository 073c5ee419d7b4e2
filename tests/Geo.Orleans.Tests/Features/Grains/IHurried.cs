namespace Geo.Orleans.Tests.Features.Grains;

public interface IHurried : IGrainWithStringKey
{
    [ResponseTimeout("00:00:00")]
    Task Hurry();
}
