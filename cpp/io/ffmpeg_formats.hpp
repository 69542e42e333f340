// The formats that ffmpeg may find in a file, by the names of its demuxers. Left to itself it takes
// a text for a playlist, a script or a session of a network, whatever its name ends in, and opens
// what stands there. Those here read their own bytes alone: containers and streams with audio in
// them that are known by their content. Names that an ffmpeg does not know mean nothing to it.
#pragma once

namespace metalmom::io {

inline constexpr const char* ffmpeg_formats =
    // what people have
    "aac,ac3,ac4,aiff,amr,amrnb,amrwb,ape,asf,asf_o,au,avi,caf,dsf,dts,dtshd,dv,eac3,flac,flv,gsm,"
    "iamf,iff,ilbc,ivr,latm,lc3,live_flv,loas,matroska,mlp,mov,mp3,mpc,mpc8,mpeg,mpegts,mxf,nut,"
    "ogg,"
    "oma,qcp,qoa,rm,shn,spdif,swf,tak,truehd,tta,voc,vqf,w64,wav,wtv,wv,xwma,"
    // older ones, of research, broadcast, telephones and recorders
    "3dostr,aa,act,adp,aea,apac,avr,bit,boa,bonk,codec2,dhav,dss,epaf,gxf,hcom,ifv,ircam,kux,laf,"
    "libopenmpt,lmlm4,lvf,lxf,mmf,mtv,nistsphere,nsv,nuv,osq,paf,pmp,pva,pvf,r3d,rka,s337m,sdr2,"
    "sds,"
    "sdx,simbiosis_imx,smjpeg,sol,sox,svs,ty,vivo,wady,wavarc,wsd,wve,"
    // sound and films of games
    "4xm,aax,ace,acm,ads,adx,aix,alp,apc,apm,argo_asf,argo_brp,argo_cvg,ast,avs,bethsoftvid,bfi,"
    "bfstm,bink,binka,brstm,c93,cdxl,dcstr,derf,dsicin,dxa,ea,ea_cdata,film_cpk,flic,fsb,fwse,gdv,"
    "genh,hca,idcin,ipmovie,iss,jv,kvag,mca,mm,moflex,mods,msf,mtaf,musx,mv,nsp,pp_bnk,psxstr,"
    "redspark,rl2,roq,rpl,rsd,scd,sdns,sga,siff,smk,smush,svag,thp,tiertexseq,tmv,usm,vag,vividas,"
    "vmd,vpk,wc3movie,wsaud,wsvqa,xa,xmd,xmv,xvag,yop";

}  // namespace metalmom::io
