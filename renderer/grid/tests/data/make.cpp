#include <nanovdb/NanoVDB.h>
#include <nanovdb/io/IO.h>
#include <nanovdb/tools/GridBuilder.h>
#include <nanovdb/tools/CreateNanoGrid.h>
using namespace nanovdb;
template<class B, class SrcT> GridHandle<> make(const char* name, SrcT bg, double dx, GridClass c, bool vec=false){
  tools::build::Grid<SrcT> g(bg, name, c);
  g.setTransform(dx, Vec3d(1,2,3));
  auto a=g.getAccessor();
  for(int x=3;x<10;x++)for(int y=2;y<7;y++)for(int z=0;z<5;z++){
    if constexpr(std::is_same_v<SrcT,float>) a.setValue(Coord(x,y,z), float((x*3+y*5+z*7)%64)/64.f+0.25f);
    else a.setValue(Coord(x,y,z), SrcT(x,y*2,z-0.5f));
  }
  if constexpr(std::is_same_v<B,SrcT>) return tools::createNanoGrid(g);
  else return tools::createNanoGrid<tools::build::Grid<SrcT>,B>(g);
}
int main(){
  std::vector<GridHandle<>> h;
  h.push_back(make<float,float>("flames",0.f,0.5,GridClass::FogVolume));
  h.push_back(make<float,float>("density",0.f,0.5,GridClass::FogVolume));
  io::writeGrids("blosc.nvdb", h, io::Codec::BLOSC);
  io::writeGrids("zip.nvdb", h, io::Codec::ZIP);
  std::vector<GridHandle<>> q;
  q.push_back(make<Fp4,float>("fp4",0.f,0.5,GridClass::FogVolume));
  q.push_back(make<Fp8,float>("fp8",0.f,0.5,GridClass::FogVolume));
  q.push_back(make<Fp16,float>("fp16",0.f,0.5,GridClass::FogVolume));
  q.push_back(make<FpN,float>("fpn",0.f,0.5,GridClass::FogVolume));
  q.push_back(make<Vec3f,Vec3f>("velocity",Vec3f(0.f),0.5,GridClass::Staggered));
  io::writeGrids("types.nvdb", q, io::Codec::BLOSC);
  
}
